import { expect, it } from 'vitest'
import { keepNothing } from '../../src/history/retention.ts'
import { sqliteUpkeep } from '../../src/history/sqlite/sqlite-upkeep.ts'
import { policyOf } from './audit-harness.ts'
import { type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

const hourMs = 3_600_000
const open = () => openFleetFixture({ fleet: { endpointsPerProject: 3 } })

/** Keeps the last run, and what a history needs regardless. */
async function prune({ harness }: FleetFixture): Promise<void> {
  const request = { keep: { ...keepNothing, last: 1 }, options: { keep_last: 1 }, toolVersion: '0.0.0' }
  await sqliteUpkeep(harness.file, harness.owner).prune(request)
}

const statesOf = ({ violations }: Awaited<ReturnType<FleetFixture['audit']>>) =>
  violations.map(({ state, resolution, message }) => [state, resolution, message])

it('an endpoint is paused for as long as before pruning, regardless of what else changed in it meanwhile', async () => {
  const policy = policyOf('extends: []\nrules: { endpoint/paused-long: {} }')
  await using fixture = await open()
  fixture.set({ status: 'paused' })
  await fixture.audit({ policy })
  for (const description of ['for maintenance', 'for more maintenance']) {
    fixture.harness.advance(10 * hourMs)
    fixture.set({ description })
    await fixture.audit()
  }
  await prune(fixture)
  fixture.harness.advance(5 * hourMs)
  const message = expect.stringMatching(/^paused since 2026-11-21 03:01 UTC /)
  expect(statesOf(await fixture.audit())).toEqual([['opened', null, message]])
  await prune(fixture)
  expect(statesOf(await fixture.audit())).toEqual([['continuing', null, message]])
  expect(fixture.query("SELECT 1 FROM version WHERE kind = 'endpoint' AND to_run IS NOT NULL")).toHaveLength(2)
  fixture.set({ status: 'active' })
  await fixture.audit()
  await prune(fixture)
  expect(fixture.query("SELECT 1 FROM version WHERE kind = 'endpoint' AND to_run IS NOT NULL")).toHaveLength(1)
})

it('a field that kept changing is unknown as long as the runs that saw it are gone, and fixed afterwards', async () => {
  const policy = policyOf('extends: []\nrules: { drift/flapping: {} }')
  await using fixture = await open()
  await fixture.audit({ policy })
  for (const description of ['a', 'b', 'c']) {
    fixture.set({ description })
    await fixture.audit()
  }
  await prune(fixture)
  const message = 'changed at least 3 times within 24 h'
  expect(statesOf(await fixture.audit())).toEqual([['unknown', null, message]])
  fixture.harness.advance(23 * hourMs)
  expect(statesOf(await fixture.audit())).toEqual([['unknown', null, message]])
  fixture.harness.advance(hourMs)
  expect(statesOf(await fixture.audit())).toEqual([['resolved', 'fixed', message]])
})

it('a change of host behind an address that does not parse is reported, also when runs were pruned meanwhile', async () => {
  const policy = policyOf('extends: []\nrules: { drift/url-host-changed: high }')
  await using fixture = await open()
  fixture.set({ url: 'https://customer.example/hook' })
  await fixture.audit({ policy })
  await fixture.audit({ policy })
  for (const url of ['https://[bad/x', 'https://[bad/y', 'https://[bad/z']) {
    fixture.set({ url })
    await fixture.audit({ policy })
    await prune(fixture)
  }
  fixture.set({ url: 'https://evil.example/hook' })
  const message = 'delivers to evil.example (was customer.example)'
  expect(statesOf(await fixture.audit({ policy }))).toEqual([['opened', null, message]])
  await prune(fixture)
  fixture.set({ url: 'https://customer.example/hook' })
  expect(statesOf(await fixture.audit({ policy }))).toEqual([['resolved', 'fixed', message]])
})
