import { expect, it } from 'vitest'
import { keepNothing } from '../../src/history/retention.ts'
import { sqliteUpkeep } from '../../src/history/sqlite/sqlite-upkeep.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { policyOf } from './audit-harness.ts'
import { type FleetFixture, openFleetFixture, pagesOfTwo } from './fleet-fixture.ts'

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

it('a value before an unparsable one is kept as long as the last complete walk saw that, also where a later walk broke off', async () => {
  const policy = policyOf('extends: []\nrules: { drift/url-host-changed: high }')
  await using fixture = await openFleetFixture({ ...pagesOfTwo, fleet: { endpointsPerProject: 3 } })
  for (const url of ['https://customer.example/hook', 'https://[bad/x']) {
    fixture.set({ url })
    await fixture.audit({ policy })
  }
  // The first page shows a host that is the former one, and the second is not answered.
  fixture.set({ url: 'https://customer.example/hook' })
  fixture.service.failNext({ path: /\/endpoints/, page: 2, how: 'reset', times: 10 })
  await fixture.audit({ policy })
  fixture.mend()
  await prune(fixture)
  fixture.set({ url: 'https://evil.example/hook' })
  const message = 'delivers to evil.example (was customer.example)'
  expect(statesOf(await fixture.audit({ policy }))).toEqual([['opened', null, message]])
})

it('drift from a single resource that was approved later is found after pruning, with the approved value', async () => {
  const policy = policyOf('extends: []\nrules: { drift/url-host-changed: high }')
  await using history = await openHistoryFixture({ fleet: { endpointsPerProject: 3 } })
  const { fixture } = history
  await fixture.audit({ policy })
  await fixture.approve()
  const uid = fixture.set({ url: 'https://good.example/hook' })
  for (let run = 2; run < 5; run += 1) {
    await fixture.audit({ policy })
    if (run === 3) await history.ask(`baseline approve --uid ${uid} --by eve --note moved --yes`)
  }
  await prune(fixture)
  fixture.set({ url: 'https://evil.example/hook' })
  const message = 'delivers to evil.example (was good.example)'
  expect(statesOf(await fixture.audit({ policy }))).toEqual([['opened', null, message]])
})
