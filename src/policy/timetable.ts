import { Cron } from 'croner'
import { messageOf } from '../model/errors.ts'
import { nearestName } from '../model/text/nearest-name.ts'
import { dayMs, hourMs } from '../model/time.ts'
import { describeReference, describeText } from '../model/yaml/describe-value.ts'

/** The times of a schedule's ticks. */
export interface Timetable {
  /** The first tick after a moment, both in milliseconds since the epoch. */
  after(ms: number): number
}

interface ScheduleDefinition {
  readonly cron: string
  readonly timezone: string
}

/**
 * Reads a pattern by a zone's clock. A pattern with fixed hours, minutes and seconds (no `*`, no step) names times of
 * the day: a time that the clock skips comes right after the jump, one that the clock repeats comes once. Any other
 * pattern is a rhythm: it comes every time the clock shows a matching time.
 * @throws Error when they make no timetable; `findTimetableFault` reports that earlier, with the position
 */
export function readTimetable({ cron, timezone }: ScheduleDefinition): Timetable {
  const pattern = new Cron(cron, { timezone, mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard', paused: true })
  return {
    after(ms) {
      const next = pattern.nextRun(new Date(ms))
      if (next === null) throw new Error('it never fires')
      return next.getTime()
    },
  }
}

/** The number of ticks that are checked for the shortest and the longest interval: two hours of a tick a minute. */
const ticksAhead = 120

/** Creates a check of schedules, as of `now`. It returns the fault of a schedule, or undefined. */
export function timetableFaultsAt(now: number) {
  return function findTimetableFault(written: ScheduleDefinition & { readonly jitterMs: number }) {
    const { cron, timezone, jitterMs } = written
    if (!isZone(timezone)) {
      const nearest = nearestName(timezone, Intl.supportedValuesOf('timeZone'))
      const meant = nearest === undefined ? 'expected one such as Europe/Berlin' : `did you mean ${nearest}?`
      return { member: 'timezone', text: `there is no time zone ${describeReference(timezone)}, ${meant}` } as const
    }
    const forms = 'expected five fields (minute hour day month weekday), or six with seconds first'
    // A single date is not a pattern, and `?` means another time whenever the file is read.
    if (
      !/^(?:@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)|[^\s?@]+(?: +[^\s?@]+){4,5})$/.test(cron.trim())
    ) {
      return { member: 'cron', text: `${describeText(cron)} is not a pattern, ${forms}` } as const
    }
    try {
      const shortest = Math.min(...intervals(readTimetable(written), now))
      if (jitterMs < shortest) return undefined
      const gap = `two ticks are ${shortest / 1000} s apart`
      return { member: 'jitter', text: `a jitter of ${jitterMs / 1000} s, but ${gap}: expected less` } as const
    } catch (error) {
      const description = describeText(cron)
      // The parser's own words repeat the file's text.
      const reason = description.startsWith('"') ? messageOf(error).replace(/^CronPattern: /, '') : 'it names no times'
      return { member: 'cron', text: `${description} is not a valid schedule: ${reason}` } as const
    }
  }
}

/** The longest time between two ticks in the weeks after `from`; undefined where there is no timetable. */
export function longestInterval(schedule: ScheduleDefinition, from: number): number | undefined {
  try {
    const timetable = readTimetable(schedule)
    const longest = Math.max(...intervals(timetable, from))
    // Of a pattern that only says minutes, every hour is alike.
    const isHourly = schedule.cron.endsWith(' * * * *')
    return isHourly ? longest : longestPause(timetable, from, longest)
  } catch {
    // The worker refuses it, with the position. An audit by hand does not need it.
    return undefined
  }
}

function* intervals(timetable: Timetable, from: number): Generator<number> {
  let last = timetable.after(from)
  for (let tick = 0; tick < ticksAhead; tick++) {
    const next = timetable.after(last)
    yield next - last
    last = next
  }
}

/** Ticks that are near each other say nothing of nights, weekends and the rest of a month. */
function longestPause(timetable: Timetable, from: number, known: number): number {
  let longest = known
  for (let last = timetable.after(from), end = last + weeksAheadMs; last < end; ) {
    // A pause that is longer than two steps, which are what is known, holds a whole one.
    const step = Math.max(longest, hourMs) / 2
    const next = timetable.after(last + step)
    if (next > last + 2 * step) longest = Math.max(longest, next - lastBefore(timetable, next, last))
    last = next
  }
  return longest
}

/** The last tick before another one, searched for from an earlier one on: there may be thousands in between. */
function lastBefore(timetable: Timetable, tick: number, earlier: number): number {
  if (timetable.after(earlier) === tick) return earlier
  let [from, to] = [earlier, tick]
  while (to - from > 1000) {
    const middle = (from + to) / 2
    if (timetable.after(middle) < tick) from = middle
    else to = middle
  }
  return timetable.after(from)
}

/** A month, from any day of it. */
const weeksAheadMs = 35 * dayMs

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
