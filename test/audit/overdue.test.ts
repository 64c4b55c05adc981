import { describe, expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { Report } from '../../src/model/report.ts'
import { policyOf } from './audit-harness.ts'
import { at, type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

const day = 86_400_000
const rules = 'endpoint/inactive: high, endpoint/timeout-high: low, violation/overdue: {}'
const policyWith = (more: string) => policyOf(`extends: []\nrules: { ${rules} }\n${more}\n`)
const dated = policyWith('due: { high: 2d, medium: 1d, low: 5d }')

/** Two endpoints are off and one is slow; the first run sees it. */
async function openFixture() {
  const fixture = await openFleetFixture({ fleet: { endpointsPerProject: 8 }, harness: { pageSize: 2 } })
  for (const index of [0, 1]) set(fixture, index, { status: 'inactive' })
  set(fixture, 6, { http_timeout: '500s' })
  return fixture
}

function set(fixture: FleetFixture, index: number, change: object): void {
  const project = fixture.uidOf('payments')
  const { uid } = at(fixture.dataOf('payments').endpoints, index)
  changeEndpoint(fixture.fleet, { project, uid }, (row) => ({ ...row, ...change }))
}

async function auditAfter(fixture: FleetFixture, days: number, policy = dated): Promise<Report> {
  fixture.harness.advance(days * day)
  return fixture.audit({ policy })
}

/** `opened /endpoint~1inactive: 2 violations …` */
const overdueIn = ({ violations }: Report) =>
  violations.flatMap(({ rule, state, resolution, path, message }) =>
    rule === 'violation/overdue' ? [`${resolution ?? state} ${path}: ${message}`] : [],
  )

const both =
  '/endpoint~1inactive: 2 violations of endpoint/inactive past the due date (2 high); the first was due 2026-11-23'

describe('what is overdue', () => {
  it('is a violation for each project and rule, opened when the first due date passes, and never overdue itself', async () => {
    await using fixture = await openFixture()
    const reports = [await fixture.audit({ policy: dated })]
    for (const days of [1, 1, 1, 1, 10]) reports.push(await auditAfter(fixture, days))
    const slow =
      '/endpoint~1timeout-high: 1 violation of endpoint/timeout-high past the due date (1 low); was due 2026-11-26'
    expect(reports.map(overdueIn)).toEqual([
      [],
      [],
      [`opened ${both}`],
      [`continuing ${both}`],
      [`continuing ${both}`],
      [`opened ${slow}`, `continuing ${both}`],
    ])
    const [first] = at(reports, 2).violations.filter(({ rule }) => rule === 'violation/overdue')
    expect(first).toMatchObject({
      kind: 'policy',
      uid: fixture.uidOf('payments'),
      project: 'acme/payments',
      severity: 'medium',
      due_at: null,
    })
    // Nothing is written while nothing changes.
    expect(fixture.query('SELECT 1 FROM violation')).toHaveLength(5)
  })

  it('is fixed when all of it is, and says how much is left before', async () => {
    await using fixture = await openFixture()
    await fixture.audit({ policy: dated })
    await auditAfter(fixture, 3)
    set(fixture, 0, { status: 'active' })
    expect(overdueIn(await auditAfter(fixture, 0))).toEqual([
      'continuing /endpoint~1inactive: 1 violation of endpoint/inactive past the due date (1 high); was due 2026-11-23',
    ])
    set(fixture, 1, { status: 'active' })
    expect(overdueIn(await auditAfter(fixture, 0))).toEqual([
      'fixed /endpoint~1inactive: 1 violation of endpoint/inactive past the due date (1 high); was due 2026-11-23',
    ])
    expect(overdueIn(await auditAfter(fixture, 0))).toEqual([])
  })

  it.each([
    [
      'accepted',
      'due: { high: 2d }\nwaivers: [{ rule: endpoint/inactive, match: { kind: endpoint }, owner: o, reason: r, expires: 2027-01-01 }]',
    ],
    ['policy', 'due: { high: 30d }'],
    ['policy', 'due: { low: 5d }'],
    ['policy', ''],
  ])('is not fixed where the policy is the cause: %s by %s', async (resolution, more) => {
    await using fixture = await openFixture()
    await fixture.audit({ policy: dated })
    expect(overdueIn(await auditAfter(fixture, 3))).toEqual([`opened ${both}`])
    expect(overdueIn(await auditAfter(fixture, 0, policyWith(more)))).toEqual([`${resolution} ${both}`])
  })

  it('is unknown while a scan cannot check it, and goes on when it can', async () => {
    await using fixture = await openFixture()
    await fixture.audit({ policy: dated })
    await auditAfter(fixture, 3)
    fixture.service.failNext({ path: /\/endpoints/, how: 'reset', times: Number.POSITIVE_INFINITY })
    expect(overdueIn(await auditAfter(fixture, 0))).toEqual([`unknown ${both}`])
    fixture.service.faults.length = 0
    expect(overdueIn(await auditAfter(fixture, 0))).toEqual([`continuing ${both}`])
    // What was not seen while it became overdue is not opened.
    fixture.service.failNext({ path: /\/endpoints/, how: 'reset', times: Number.POSITIVE_INFINITY })
    expect(overdueIn(await auditAfter(fixture, 10))).toEqual([`unknown ${both}`])
  })

  it('can be accepted by a person, and is opened again when that is revoked', async () => {
    await using fixture = await openFixture()
    await fixture.audit({ policy: dated })
    const { violations } = await auditAfter(fixture, 3)
    const [found] = violations.filter(({ rule }) => rule === 'violation/overdue')
    if (found === undefined) throw new Error('nothing is overdue')
    const { fingerprint, rule, kind, uid, path } = found
    const project = { name: 'acme/payments', service: 'acme', uid }
    const signed = { by: 'lee', at: new Date(fixture.harness.clock.now()).toISOString() }
    const history = () => openSqliteHistory(fixture.harness.file, fixture.harness.owner)
    const before = history()
    await before.accept([
      { project, fingerprint, rule, kind, uid, path, reason: 'known', valueDigest: null, ...signed },
    ])
    await before.close()
    expect(overdueIn(await auditAfter(fixture, 0))).toEqual([`accepted ${both}`])
    expect(overdueIn(await auditAfter(fixture, 0))).toEqual([])
  })

  it('has the severity that the policy gives it, for this project too, and can be off', async () => {
    await using fixture = await openFixture()
    const more =
      'due: { high: 2d }\noverrides: [{ match: { project: "acme/pay*" }, rules: { violation/overdue: critical } }]'
    await fixture.audit({ policy: policyWith(more) })
    const { violations } = await auditAfter(fixture, 3, policyWith(more))
    expect(violations[0]).toMatchObject({ rule: 'violation/overdue', severity: 'critical' })
    const off = policyOf('extends: []\nrules: { endpoint/inactive: high }\ndue: { high: 2d }')
    expect(overdueIn(await auditAfter(fixture, 0, off))).toEqual([`policy ${both}`])
  })
})
