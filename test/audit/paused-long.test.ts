import { expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import { policyOf } from './audit-harness.ts'
import { at, openFleetFixture } from './fleet-fixture.ts'

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
  const message = `paused in every run since ${first.run.started_at.slice(0, 16).replace('T', ' ')} UTC: its events are discarded, not queued`
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
