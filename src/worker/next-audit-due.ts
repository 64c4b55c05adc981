import { matchesProject } from '../config/choose-projects.ts'
import type { PlannedRuns } from '../config/read-configured-paths.ts'
import { AuditError } from '../model/errors.ts'
import { readTimetable, timetableFaultsAt } from '../policy/timetable.ts'

/** A daily run, and an hour's grace. */
const defaultMaxAgeMs = 25 * 3_600_000

/**
 * By when a project should be audited again that was audited at a time, both in milliseconds: when the next run of one of
 * its schedules should be over; without a schedule, by the age that a daily run may have.
 * @throws AuditError.usage when a schedule of `file` cannot be kept
 */
export function nextAuditDue(
  schedules: readonly PlannedRuns[],
  { now, file }: { readonly now: number; readonly file: string },
): (project: string, ms: number) => number {
  const findFault = timetableFaultsAt(now)
  const timetables = schedules.map((schedule) => {
    const fault = findFault({ ...schedule, jitterMs: 0 })
    if (fault !== undefined) throw AuditError.usage(`${file}: a schedule is not valid: ${fault.text}`)
    return { ...schedule, ...readTimetable(schedule) }
  })
  return (project, ms) => {
    const ofProject = timetables.filter(({ projects }) => matchesProject(project, projects))
    return ofProject.length === 0
      ? ms + defaultMaxAgeMs
      : Math.min(...ofProject.map(({ after, slackMs }) => after(ms) + slackMs))
  }
}

/**
 * The first tick of a schedule after a scan; undefined where it is still to come.
 * @param scanned the end of the last scan of the project that was scanned the longest ago: a run scans all of them
 */
export function missedTick(schedule: PlannedRuns, scanned: number, now: number): MissedTick | undefined {
  const due = readTimetable(schedule).after(scanned)
  return due > now ? undefined : { due, until: due + schedule.slackMs }
}

/** A run of a schedule that was due and has not come. Times are in milliseconds since the epoch. */
interface MissedTick {
  readonly due: number
  /** Until when it may go on, so that its scan is still to come. */
  readonly until: number
}
