import { Cron } from 'croner'
import { messageOf } from '../model/errors.ts'
import { nearestName } from '../text/nearest-name.ts'
import { describeReference, describeText } from '../yaml/describe-value.ts'

/** When a schedule's ticks come. */
export interface Timetable {
  /** The first tick after a moment, both in milliseconds since the epoch. */
  after(ms: number): number
}

interface ScheduleDefinition {
  readonly cron: string
  readonly timezone: string
}

/**
 * Reads a pattern by a zone's clock. A pattern whose hours, minutes and seconds are all spelled out (no `*`, no step)
 * names times of the day: one that the zone's clock jumps over comes right after the jump, one that the clock shows
 * twice comes once. Any other pattern is a rhythm: it comes whenever the clock shows a fitting time.
 * @throws Error when they make no timetable; `findTimetableFault` tells that first, and where
 */
export function readTimetable({ cron, timezone }: ScheduleDefinition): Timetable {
  const pattern = new Cron(cron, { timezone, mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard', paused: true })
  return {
    after(ms) {
      const next = pattern.nextRun(new Date(ms))
      if (next === null) throw new Error('it never comes')
      return next.getTime()
    },
  }
}

/** How many ticks ahead are looked at for the shortest time between two. */
const ticksAhead = 50

/** Says what is wrong with a schedule as it is written, seen from `now`; undefined when it can be kept. */
export function timetableFaultsAt(now: number) {
  return function findTimetableFault(written: ScheduleDefinition & { readonly jitterMs: number }) {
    const { cron, timezone, jitterMs } = written
    if (!isZone(timezone)) {
      const nearest = nearestName(timezone, Intl.supportedValuesOf('timeZone'))
      const meant = nearest === undefined ? 'expected one such as Europe/Berlin' : `did you mean ${nearest}?`
      return { member: 'timezone', text: `there is no time zone ${describeReference(timezone)}, ${meant}` } as const
    }
    const forms = 'expected five fields (minute hour day month weekday), or six with seconds first'
    // A single date is no pattern, and `?` means another time whenever the file is read.
    if (
      !/^(?:@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)|[^\s?@]+(?: +[^\s?@]+){4,5})$/.test(cron.trim())
    ) {
      return { member: 'cron', text: `${describeText(cron)} is not a pattern, ${forms}` } as const
    }
    try {
      const shortest = shortestGap(readTimetable(written), now)
      if (jitterMs < shortest) return undefined
      const gap = `two ticks are ${shortest / 1000} s apart`
      return { member: 'jitter', text: `a jitter of ${jitterMs / 1000} s, and ${gap}: expected less` } as const
    } catch (error) {
      const shown = describeText(cron)
      // The parser's own words repeat what stands there.
      const reason = shown.startsWith('"') ? messageOf(error).replace(/^CronPattern: /, '') : 'it names no times'
      return { member: 'cron', text: `${shown} cannot be kept: ${reason}` } as const
    }
  }
}

function shortestGap(timetable: Timetable, now: number): number {
  let shortest = Number.POSITIVE_INFINITY
  let last = timetable.after(now)
  for (let tick = 0; tick < ticksAhead; tick++) {
    const next = timetable.after(last)
    shortest = Math.min(shortest, next - last)
    last = next
  }
  return shortest
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
