import { expect, it } from 'vitest'
import { anEndpoint, openLiteral } from './a-literal-service.ts'
import { openSite } from './a-site.ts'

const yearMs = 365 * 86_400_000

it('a run whose clock is behind that of the run before it says so, with both times, and changes nothing else', async () => {
  using here = await openLiteral({ endpoints: [anEndpoint('EP-1', { url: 'http://ep-1.example' })] })
  const before = await here.audit()
  here.stand.advance(-yearMs)
  const { run, notices, verdict, drift, violations } = await here.audit()
  expect(notices).toEqual([
    {
      project: 'acme/orders',
      listing: 'endpoints',
      text:
        `the clock went back: this run started at ${run.started_at}, but run 1, the one before it, finished at ${before.run.finished_at}. ` +
        'Check the clock and its synchronisation (NTP) on every machine that writes to this history: ages, deadlines and expiries of this run, or of that one, are wrong',
    },
  ])
  expect(drift).toEqual([])
  expect(violations.map(({ state }) => state)).toEqual(before.violations.map(() => 'continuing'))
  expect(verdict.exit_code).toBe(before.verdict.exit_code)
  // The next one follows its predecessor.
  expect((await here.audit()).notices).toEqual([])
})

it('clocks that differ by less than a second are no news', async () => {
  using here = await openLiteral()
  await here.audit()
  here.stand.advance(-60_900)
  expect((await here.audit()).notices).toEqual([])
  here.stand.advance(-61_100)
  expect((await here.audit()).notices).toHaveLength(1)
})

it('a clock that goes back during a run ends nothing before it began', async () => {
  await using here = await openSite()
  here.service.behaviour.latencyMs = () => {
    here.stand.advance(-yearMs)
    return 0
  }
  const { run, coverage } = await here.audit()
  expect(run.finished_at >= run.started_at).toBe(true)
  expect(coverage.map(({ duration_ms }) => duration_ms).filter((duration) => duration < 0)).toEqual([])
})
