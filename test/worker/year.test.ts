import { describe, expect, it } from 'vitest'
import { readTimetable } from '../../src/policy/timetable.ts'
import { openSchedulePlanner } from '../../src/worker/schedule-planner.ts'
import { aSchedule, day, hour, iso, minute } from './worker-harness.ts'

/**
 * When ticks are expected, worked out without croner: the year is walked quarter by quarter of an hour, by what the
 * system's own calendar says the clocks of a zone show.
 *
 * A rhythm (something with `*` or a step in its minutes or hours) is expected whenever the clock shows a fitting time:
 * at both passes of an hour that comes twice, never in one that is left out. A time of the day is expected once a day:
 * at its first pass, or right after the hour that was left out.
 */
function expectedTicks({ minutes, hours, zone, isRhythm }: Case, from: number, until: number): number[] {
  const shown = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
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

interface Case {
  readonly cron: string
  readonly zone: string
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly isRhythm: boolean
}

const quarter = 15 * minute
const everyHour = Array.from({ length: 24 }, (_, index) => index)

/** Five zones that change their clocks; in Sydney and Santiago summer is around new year, and Lord Howe moves by half an hour. */
const cases: readonly Case[] = [
  { cron: '0 * * * *', zone: 'Europe/Berlin', minutes: [0], hours: everyHour, isRhythm: true },
  { cron: '30 2 * * *', zone: 'America/New_York', minutes: [30], hours: [2], isRhythm: false },
  { cron: '0,30 1-3 * * *', zone: 'Australia/Sydney', minutes: [0, 30], hours: [1, 2, 3], isRhythm: false },
  {
    cron: '0 */2 * * *',
    zone: 'America/Santiago',
    minutes: [0],
    hours: everyHour.filter((h) => h % 2 === 0),
    isRhythm: true,
  },
  { cron: '15 2 * * *', zone: 'Australia/Lord_Howe', minutes: [15], hours: [2], isRhythm: false },
]

const start = Date.parse('2026-01-01T00:00:00Z')
const year = 365 * day

/** Worked out once: walking a year costs more than all the rest. */
const expectedOf = new Map(cases.map((one) => [one, expectedTicks(one, start, start + year + 2 * day)]))

function expectedIn(one: Case, from: number, until: number): number[] {
  return (expectedOf.get(one) ?? []).filter((tick) => tick >= from && tick <= until)
}

interface Watched {
  readonly from: number
  /** By the time that really passes. */
  readonly until: number
  /** When the clock is set, by the time that really passes. */
  readonly at?: number
  readonly by?: number
}

/** Checks the agenda as the worker does, once a minute, by a clock that may be set on the way. */
function keepAgenda(one: Case, { from, until, at = until, by = 0 }: Watched): number[] {
  const timetable = readTimetable(aSchedule({ cron: one.cron, timezone: one.zone }))
  const entries = [{ name: 'a', timetable, jitterMs: 0, written: '' }]
  const agenda = openSchedulePlanner({ entries, now: from - 1, servedUntil: () => undefined, random: () => 0 })
  const runs: number[] = []
  for (let time = from; time <= until; time += minute) {
    for (const tick of agenda.take(time >= at ? time + by : time)) runs.push(tick.at)
  }
  return runs
}

describe('a year of ticks', () => {
  it.each(cases)('of $cron in $zone has each tick exactly once', (one) => {
    const expected = expectedIn(one, start, start + year)
    expect(expected.length).toBeGreaterThan(360)
    expect(keepAgenda(one, { from: start, until: start + year }).map(iso)).toEqual(expected.map(iso))
  })
})

describe.each(cases)('with $cron in $zone, a clock that is set', (one) => {
  // Clocks change in all five zones within these weeks: on 8 and 29 March, and on 5 April.
  const from = Date.parse('2026-03-01T00:00:00Z')
  const until = Date.parse('2026-04-12T00:00:00Z')
  const moments = ['2026-03-08T06:37:00Z', '2026-03-29T00:37:00Z', '2026-04-04T15:37:00Z', '2026-03-15T12:07:00Z']

  it.each([
    ['an hour', hour],
    ['a day', day],
  ])('%s ahead gives one run for all that was skipped', (_, by) => {
    for (const at of moments.map((moment) => Date.parse(moment))) {
      const [first, ...others] = expectedIn(one, at, at + by)
      const expected = expectedIn(one, from, until + by).filter((tick) => !others.includes(tick))
      expect(expected).toContain(first ?? expected[0])
      expect(keepAgenda(one, { from, until, at, by }).map(iso)).toEqual(expected.map(iso))
    }
  })

  it('an hour back repeats and loses nothing', () => {
    for (const at of moments.map((moment) => Date.parse(moment))) {
      const expected = expectedIn(one, from, until - hour)
      expect(keepAgenda(one, { from, until, at, by: -hour }).map(iso)).toEqual(expected.map(iso))
    }
  })

  it('a day back was wrong before: from then on, each tick of the right day has its run, once', () => {
    for (const at of moments.map((moment) => Date.parse(moment))) {
      const expected = [...expectedIn(one, from, at - 1), ...expectedIn(one, at - day + 1, until - day)]
      expect(keepAgenda(one, { from, until, at, by: -day }).map(iso)).toEqual(expected.map(iso))
    }
  })
})

/** Date, hour and minute that a clock shows. */
function clockOf(parts: readonly Intl.DateTimeFormatPart[]): [string, number, number] {
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return [`${of('month')}-${of('day')}`, Number(of('hour')), Number(of('minute'))]
}

/** Fitting times of the day that a clock left out between two quarters. */
function leftOut(
  before: readonly Intl.DateTimeFormatPart[],
  now: readonly Intl.DateTimeFormatPart[],
  minutes: readonly number[],
  hours: readonly number[],
): string[] {
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
