import { expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import { policyOf } from './audit-harness.ts'
import { at, openFleetFixture } from './fleet-fixture.ts'
import { anEndpoint, openLiteral } from './literal-service.ts'

const yearMs = 365 * 86_400_000

it('a run whose clock is behind the previous run reports both times and changes nothing else', async () => {
  await using fixture = await openLiteral({ endpoints: [anEndpoint('EP-1', { url: 'http://ep-1.example' })] })
  const before = await fixture.audit()
  fixture.harness.advance(-yearMs)
  const { run, notices, verdict, drift, violations } = await fixture.audit()
  expect(notices).toEqual([
    {
      code: 'clock_went_back',
      project: null,
      listing: null,
      text:
        `the clock went back: this run started at ${run.started_at}, but run 1, the one before it, finished at ${before.run.finished_at}. ` +
        'Check the clock and its synchronisation (NTP) on every machine that writes to this history: ages, deadlines and expiries of this run, or of that one, are wrong',
    },
  ])
  expect(drift).toEqual([])
  expect(violations.map(({ state }) => state)).toEqual(before.violations.map(() => 'continuing'))
  expect(verdict.exit_code).toBe(before.verdict.exit_code)
  // The next one follows its predecessor.
  expect((await fixture.audit()).notices).toEqual([])
})

it('a clock difference of less than a second causes no notice', async () => {
  await using fixture = await openLiteral()
  await fixture.audit()
  fixture.harness.advance(-60_900)
  expect((await fixture.audit()).notices).toEqual([])
  fixture.harness.advance(-61_100)
  expect((await fixture.audit()).notices).toHaveLength(1)
})

it('a clock that is set back during a run never ends a resource before it began', async () => {
  await using fixture = await openFleetFixture()
  fixture.service.behaviour.latencyMs = () => {
    fixture.harness.advance(-yearMs)
    return 0
  }
  const { run, coverage } = await fixture.audit()
  expect(run.finished_at >= run.started_at).toBe(true)
  expect(coverage.map(({ duration_ms }) => duration_ms).filter((duration) => duration < 0)).toEqual([])
})

const policy = policyOf('extends: []\nrules: { endpoint/paused-long: {} }')
const hourMs = 3_600_000

it('endpoint/paused-long counts from the first run that found the endpoint paused, and anew after a resume', async () => {
  await using fixture = await openFleetFixture({ fleet: { endpointsPerProject: 2 } })
  const place = { project: fixture.uidOf('payments'), uid: at(fixture.dataOf('payments').endpoints, 0).uid }
  const set = (change: { status?: string; description?: string }) =>
    changeEndpoint(fixture.fleet, place, (row) => ({ ...row, ...change }))
  const audit = async (hoursLater: number) => {
    fixture.harness.advance(hoursLater * hourMs)
    const { run, violations } = await fixture.audit({ policy })
    return { run, said: violations.map(({ state, message }) => `${state}: ${message}`) }
  }

  await audit(0)
  set({ status: 'paused' })
  const first = await audit(1)
  set({ description: 'another version of it' })
  const later = [await audit(12), await audit(12), await audit(5)]
  const message = `paused since ${first.run.started_at.slice(0, 16).replace('T', ' ')} UTC (policy: at most 24 h): its new events are discarded, not queued`
  expect([first, ...later].map(({ said }) => said)).toEqual([
    [],
    [],
    [`opened: ${message}`],
    [`continuing: ${message}`],
  ])

  set({ status: 'active' })
  expect((await audit(1)).said).toEqual([`resolved: ${message}`])
  set({ status: 'paused' })
  expect([(await audit(1)).said, (await audit(23)).said]).toEqual([[], []])
})
