import { matchesProject } from '../../config/choose-projects.ts'
import type { PlannedRuns } from '../../config/configuration.ts'
import { AuditError } from '../../model/errors.ts'
import { readTimetable, timetableFaultsAt } from '../../policy/timetable.ts'
import type { AnswerView } from '../../report/answer.ts'

interface NextTime {
  readonly schedule: string
  /** ISO 8601, UTC; before jitter. */
  readonly at: string
  readonly timezone: string
  /** The time on the zone's clock: `Sun 2026-03-29 03:00:00 +02:00`. */
  readonly local: string
}

/** The next times of all schedules, in order of time. */
export function nextTimes(
  schedules: readonly Pick<PlannedRuns, 'name' | 'cron' | 'timezone'>[],
  now: number,
  count: number,
): readonly NextTime[] {
  const times = schedules.flatMap((schedule) => {
    const timetable = readTimetable(schedule)
    const ticks: number[] = []
    while (ticks.length < count) ticks.push(timetable.after(ticks.at(-1) ?? now))
    return ticks.map((at) => ({ at, schedule }))
  })
  return times
    .sort((a, b) => a.at - b.at)
    .map(({ at, schedule: { name, timezone } }) => ({
      schedule: name,
      at: new Date(at).toISOString().replace('.000Z', 'Z'),
      timezone,
      local: localTime(timezone, at),
    }))
}

function localTime(timeZone: string, at: number): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    timeZoneName: 'longOffset',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  const offset = of('timeZoneName').replace('GMT', '') || '+00:00'
  return `${of('weekday')} ${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}:${of('second')} ${offset}`
}

export const nextTimesView: AnswerView<NextTime> = {
  columns: ['at', 'schedule', 'local', 'timezone'],
  nothing: 'No schedule ever runs.',
  isOfRun: false,
}

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
      : Math.min(...ofProject.map(({ after, jitterMs, runTimeoutMs }) => after(ms) + jitterMs + runTimeoutMs))
  }
}

/**
 * The first tick of a schedule after a scan; undefined where it is still to come.
 * @param scanned the end of the last scan of the project that was scanned the longest ago: a run scans all of them
 */
export function missedTick(schedule: PlannedRuns, scanned: number, now: number): MissedTick | undefined {
  const due = readTimetable(schedule).after(scanned)
  return due > now ? undefined : { due, until: due + schedule.jitterMs + schedule.runTimeoutMs }
}

/** A run of a schedule that was due and has not come. Times are in milliseconds since the epoch. */
interface MissedTick {
  readonly due: number
  /** Until when it may go on, so that its scan is still to come. */
  readonly until: number
}
