import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { openHistoryFixture } from '../questions/history-fixture.ts'
import { policyOf } from './audit-harness.ts'
import { at, type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

const day = 86_400_000
const basic = 'extends: []\nrules: { endpoint/inactive: high, endpoint/timeout-high: low }\n'
const strict = policyOf(`${basic}due: { high: 2d }\n`)
const lenient = policyOf(`${basic}due: { high: 14d, low: 30d }\n`)
const four = { fleet: { endpointsPerProject: 4 } }

describe('due dates of a run', () => {
  it('are those of its policy, also when the report is made again under another one', async () => {
    await using history = await openHistoryFixture(four)
    const { fixture, rows } = history
    fixture.set({ status: 'inactive' }, 0)
    fixture.set({ http_timeout: 500 }, 1)
    const first = await fixture.audit({ policy: strict })
    fixture.harness.advance(9 * day)
    const second = await fixture.audit({ policy: lenient })
    const third = await fixture.audit({ policy: policyOf(basic) })
    const seen = Date.parse(first.run.started_at)
    const dues = (report: { violations: readonly { due_at: string | null }[] }) =>
      report.violations.map(({ due_at }) => due_at)
    const sinceFirst = (ms: number) => new Date(seen + ms).toISOString()
    expect([dues(first), dues(second), dues(third)]).toEqual([
      [sinceFirst(2 * day), null],
      [sinceFirst(14 * day), sinceFirst(30 * day)],
      [null, null],
    ])
    for (const report of [first, second, third]) {
      expect(await rows(`report --run ${report.run.number}`)).toEqual(report)
    }
  })
})

describe('hookdrift violations', () => {
  it('shows due dates, lists what is overdue, and sorts by them', async () => {
    await using history = await openHistoryFixture(four)
    const { fixture, rows, ask } = history
    const slow = fixture.set({ http_timeout: 500 }, 1)
    await fixture.audit({ policy: lenient })
    const off = fixture.set({ status: 'inactive' }, 0)
    // Commands compare with today.
    const { run } = await fixture.audit({ policy: policyOf(`${basic}due: { high: 1s, low: 3650d }\n`) })
    const uids = (answer: { rows: { uid: string }[] }) => answer.rows.map(({ uid }) => uid)
    const all = await rows('violations')
    expect(all.rows[0]).toMatchObject({ uid: off, due_at: new Date(Date.parse(run.started_at) + 1000).toISOString() })
    expect(uids(await rows('violations --sort age'))).toEqual([slow, off])
    expect(uids(await rows('violations --sort due'))).toEqual([off, slow])
    expect(uids(await rows('violations --overdue'))).toEqual([off])
    expect((await ask(['violations', '--format', 'csv'])).stdout).toContain(',due_at,')
    const shown = (await ask(['violations'])).stdout
    expect([/high .*OVERDUE by/s.test(shown), /low .*due in \d+\s+d/s.test(shown)]).toEqual([true, true])
  })
})

const overdueRules = 'endpoint/inactive: high, endpoint/timeout-high: low, violation/overdue: {}'
const policyWith = (more: string) => policyOf(`extends: []\nrules: { ${overdueRules} }\n${more}\n`)
const dated = policyWith('due: { high: 2d, medium: 1d, low: 5d }')

/** Two endpoints are off and one is slow; the first run sees it. */
async function openFixture() {
  const fixture = await openFleetFixture({ fleet: { endpointsPerProject: 8 }, harness: { pageSize: 2 } })
  for (const index of [0, 1]) fixture.set({ status: 'inactive' }, index)
  fixture.set({ http_timeout: 500 }, 6)
  return fixture
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
  '/endpoint~1inactive: 2 violations of endpoint/inactive are overdue (2 high); the first was due on 2026-11-23'

describe('what is overdue', () => {
  it('is a violation for each project and rule, opened when the first due date passes, and never overdue itself', async () => {
    await using fixture = await openFixture()
    const reports = [await fixture.audit({ policy: dated })]
    for (const days of [1, 1, 1, 1, 10]) reports.push(await auditAfter(fixture, days))
    const slow =
      '/endpoint~1timeout-high: 1 violation of endpoint/timeout-high is overdue (1 low); it was due on 2026-11-26'
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

  it('is unknown where the clock went back behind the run that found it, and continues when it is right again', async () => {
    await using fixture = await openFixture()
    await fixture.audit({ policy: dated })
    const reports: Report[] = []
    for (const days of [3, -3, 0, 3]) reports.push(await auditAfter(fixture, days))
    expect(reports.map(overdueIn)).toEqual([
      [`opened ${both}`],
      [`unknown ${both}`],
      [`unknown ${both}`],
      [`continuing ${both}`],
    ])
  })

  it('is fixed when all of it is, and says how much is left before', async () => {
    await using fixture = await openFixture()
    await fixture.audit({ policy: dated })
    await auditAfter(fixture, 3)
    fixture.set({ status: 'active' }, 0)
    expect(overdueIn(await auditAfter(fixture, 0))).toEqual([
      'continuing /endpoint~1inactive: 1 violation of endpoint/inactive is overdue (1 high); it was due on 2026-11-23',
    ])
    fixture.set({ status: 'active' }, 1)
    expect(overdueIn(await auditAfter(fixture, 0))).toEqual([
      'fixed /endpoint~1inactive: 1 violation of endpoint/inactive is overdue (1 high); it was due on 2026-11-23',
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
    await fixture.accept(await auditAfter(fixture, 3), 'violation/overdue')
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
