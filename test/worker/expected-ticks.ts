import { openSchedulePlanner, type Tick } from '../../src/app/worker/schedule-planner.ts'
import { readTimetable } from '../../src/policy/timetable.ts'
import { aSchedule, minute } from './worker-harness.ts'

/** A pattern whose minutes are quarters of an hour, and what it says. */
export interface QuarterPattern {
  readonly cron: string
  readonly zone: string
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly isRhythm: boolean
}

const quarter = 15 * minute

/**
 * When ticks are expected, worked out without croner: the year is walked quarter by quarter of an hour, by what the
 * system's own calendar says the clocks of a zone show.
 *
 * A rhythm (something with `*` or a step in its minutes or hours) is expected whenever the clock shows a fitting time:
 * at both passes of an hour that comes twice, never in one that is left out. A time of the day is expected once a day:
 * at its first pass, or right after the hour that was left out.
 */
export function expectedTicks(
  { minutes, hours, zone, isRhythm }: QuarterPattern,
  from: number,
  until: number,
): number[] {
  const shown = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  const expected: number[] = []
  const had = new Set<string>()
  let before = shown.formatToParts(from - quarter)
  for (let at = from; at <= until; at += quarter) {
    const now = shown.formatToParts(at)
    const [day = '', hourShown = 0, minuteShown = 0] = clockOf(now)
    const fits = minutes.includes(minuteShown) && hours.includes(hourShown)
    if (isRhythm) {
      if (fits) expected.push(at)
    } else {
      const due = [...(fits ? [`${day} ${hourShown}:${minuteShown}`] : []), ...leftOut(before, now, minutes, hours)]
      if (due.some((time) => !had.has(time))) expected.push(at)
      for (const time of due) had.add(time)
    }
    before = now
  }
  return expected
}

interface Watched {
  readonly from: number
  /** By the time that really passes. */
  readonly until: number
  /** How far the clock is ahead, by the time that really passes. */
  readonly aheadAt: (time: number) => number
  readonly jitterMs?: number
  /** At least 0, below 1. */
  readonly random?: () => number
}

/** Checks the agenda as the worker does, once a minute, by a clock that may be set on the way. */
export function takeTicks(
  { cron, zone }: Pick<QuarterPattern, 'cron' | 'zone'>,
  { from, until, aheadAt, jitterMs = 0, random = () => 0 }: Watched,
): readonly Tick[] {
  const timetable = readTimetable(aSchedule({ cron, timezone: zone }))
  const entries = [{ name: 'a', timetable, jitterMs, written: '' }]
  const agenda = openSchedulePlanner({ entries, now: from - 1, servedUntil: () => undefined, random })
  const ticks: Tick[] = []
  for (let time = from; time <= until; time += minute) ticks.push(...agenda.take(time + aheadAt(time)))
  return ticks
}

/** Date, hour and minute that a clock shows. */
function clockOf(parts: readonly Intl.DateTimeFormatPart[]): [string, number, number] {
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return [`${of('year')}-${of('month')}-${of('day')}`, Number(of('hour')), Number(of('minute'))]
}

/** Fitting times of the day that a clock left out between two quarters. */
function leftOut(
  before: readonly Intl.DateTimeFormatPart[],
  now: readonly Intl.DateTimeFormatPart[],
  minutes: readonly number[],
  hours: readonly number[],
) {
  const [, hourBefore, minuteBefore] = clockOf(before)
  const [day, hourNow, minuteNow] = clockOf(now)
  const times: string[] = []
  const upTo = hourNow * 60 + minuteNow
  const from = hourBefore * 60 + minuteBefore + 15
  // Across midnight nothing of the day is left out; the zones of the cases jump within a day, or at its start.
  for (let time = from > upTo && upTo <= 60 ? 0 : from; time < upTo; time += 15) {
    const [hour, minute] = [Math.floor(time / 60), time % 60]
    if (minutes.includes(minute) && hours.includes(hour)) times.push(`${day} ${hour}:${minute}`)
  }
  return times
}
