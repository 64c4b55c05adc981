import { expect, it } from 'vitest'
import { composeReport } from '../../src/audit/compose-report.ts'
import { dayMs } from '../../src/model/time.ts'
import { assessRun, gatherCompliance } from '../../src/report/compliance/gather-compliance.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { openFleetFixture } from '../audit/fleet-fixture.ts'

const framework = {
  id: 'ours',
  title: 'Ours',
  controls: [
    { id: 'TLS', title: 'Encryption', evidence: [{ rules: ['endpoint/url-not-https'], rationale: 'Encrypted.' }] },
    { id: 'ON', title: 'Delivery', evidence: [{ rules: ['endpoint/inactive'], rationale: 'Delivered.' }] },
  ],
}

it('a control whose violation ended within the period is met with exceptions, and the period is there to sample from', async () => {
  await using world = await openFleetFixture({ harness: { startsAt: '2026-11-01T03:00:00Z' } })
  const { uid, row } = world.endpointAt()
  for (let day = 1; day <= 6; day++) {
    if (day === 3) world.set({ url: row.url.replace('https:', 'http:') })
    if (day === 5) world.set({ url: row.url })
    await world.audit()
    if (day === 2) await world.approve()
    world.harness.advance(dayMs - 60_000)
  }
  const period = { from: '2026-11-02T00:00:00Z', to: '2026-11-06T03:01:00Z', now: world.harness.clock.now() }
  const compliance = await world.harness.withHistory((history) =>
    gatherCompliance(history, framework, period, composeReport),
  )
  const { runs = [], changes = [], approvals = [], controls } = compliance
  expect(controls.map(({ id, state }) => [id, state])).toEqual([
    ['TLS', 'met_with_exceptions'],
    ['ON', 'met'],
  ])
  expect(controls[0]?.exceptions).toMatchObject([
    {
      rule: 'endpoint/url-not-https',
      opened_at: '2026-11-03T03:01:00.000Z',
      ended_at: '2026-11-05T03:01:00.000Z',
      ended_by: null,
    },
  ])
  expect(controls[1]).not.toHaveProperty('exceptions')
  expect(runs.map(({ run, incomplete }) => [run, incomplete])).toEqual([2, 3, 4, 5, 6].map((run) => [run, 0]))
  expect(new Set(runs.map(({ chain }) => chain)).size).toBe(5)
  expect(changes.map(({ run, uid: changed, fields }) => [run, changed, fields.map(({ path }) => path)])).toEqual([
    [3, uid, ['/url']],
    [5, uid, ['/url']],
  ])
  expect(approvals).toMatchObject([{ project: 'acme/payments', run: 2, by: 'eve', os_user: null, note: 'agreed' }])
})

it('what is wrong with a service is one violation in each control, however many projects it has', async () => {
  await using world = await openFleetFixture({ fleet: { clean: true, projects: 2 } })
  const rules = 'extends: []\nrules:\n  service/release-vulnerable: {}\n'
  const report = await world.audit({ policy: policyOf(rules) })
  expect(report.violations.map(({ rule }) => rule)).toEqual(['service/release-vulnerable'])
  const evidence = [{ rules: ['service/*'], rationale: 'Patched.' }]
  const patched = { id: 'ours', title: 'Ours', controls: [{ id: 'PATCH', title: 'Patches', evidence }] }
  const compliance = await world.harness.withHistory((history) => assessRun(history, patched, 1, composeReport))
  expect(compliance.controls[0]?.violations).toHaveLength(1)
})
