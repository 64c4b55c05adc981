import type { PlannedRuns } from '../config/read-places.ts'
import { readTimetable } from './timetable.ts'

/** A run of a schedule that was due and has not come. Times are in milliseconds since the epoch. */
export interface MissedTick {
  readonly due: number
  /** Until when it may go on, so that its scan is still to come. */
  readonly until: number
}

/**
 * The first tick of a schedule after a scan; undefined where it is still to come.
 * @param scanned the end of the last scan of the project that was scanned the longest ago: a run scans all of them
 */
export function missedTick(schedule: PlannedRuns, scanned: number, now: number): MissedTick | undefined {
  const due = readTimetable(schedule).after(scanned)
  return due > now ? undefined : { due, until: due + schedule.slackMs }
}
