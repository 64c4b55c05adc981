import { describe, expect, it } from 'vitest'
import { expectedTicks, type QuarterPattern, takeTicks } from './expected-ticks.ts'
import { day, hour, iso } from './worker-harness.ts'

const everyHour = Array.from({ length: 24 }, (_, index) => index)

/** Five zones that change their clocks; in Sydney and Santiago summer is around new year, and Lord Howe moves by half an hour. */
const cases: readonly QuarterPattern[] = [
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

function expectedIn(one: QuarterPattern, from: number, until: number) {
  return (expectedOf.get(one) ?? []).filter((tick) => tick >= from && tick <= until)
}

interface SetClock {
  readonly from: number
  /** By the time that really passes. */
  readonly until: number
  /** When the clock is set, by the time that really passes. */
  readonly at?: number
  readonly by?: number
}

function keepAgenda(one: QuarterPattern, { from, until, at = until, by = 0 }: SetClock) {
  return takeTicks(one, { from, until, aheadAt: (time) => (time >= at ? by : 0) }).map((tick) => tick.at)
}

it.each(cases)('a year of ticks of $cron in $zone has each tick exactly once', (one) => {
  const expected = expectedIn(one, start, start + year)
  expect(expected.length).toBeGreaterThan(360)
  expect(keepAgenda(one, { from: start, until: start + year }).map(iso)).toEqual(expected.map(iso))
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
