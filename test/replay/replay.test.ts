import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tableFile } from '../../scripts/rule-table.ts'
import { changeEndpoint, replaceSecret, setEndpointStatus } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { listApprovals } from '../../src/history/sql/approvals.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { Report } from '../../src/model/report.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { rules } from '../../src/rules/rules.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at, type FleetFixture, openFleetFixture } from '../audit/fleet-fixture.ts'
import { liveThrough, policyOfThen } from '../audit/live-through.ts'
import { replayRuns } from './replay-runs.ts'

const hour = 3_600_000

/** A run every 14 hours. */
function live(fixture: FleetFixture, policy: Policy) {
  return liveThrough(fixture, async (turn) => {
    const report = await fixture.audit({ policy, ...turn })
    fixture.harness.advance(14 * hour)
    return report
  })
}

const fleet = { clean: false, projects: 3, incomingEvery: 3, endpointsPerProject: 12, baseTime: '2026-11-20T00:00:00Z' }
const harness = { pageSize: 5, limits: { retries: 0 }, labels: { env: 'test' } }

/** The rule that the pointer of a violation of `violation/overdue` names. */
const ruleIn = (path: string) => path.slice(1).replace('~1', '/')

async function replayed(fixture: FleetFixture, policy: Policy, last: number) {
  const history = openSqliteHistory(fixture.harness.file, fixture.harness.owner)
  try {
    const runs = (await listRuns(history)).filter(({ number }) => number <= last)
    return await replayRuns(history, { policy, runs })
  } finally {
    await history.close()
  }
}

/** That a replay finds what every run recorded. */
async function expectRecorded(fixture: FleetFixture, policy: Policy, recorded: readonly Report[]) {
  const { notEvaluated, reports } = await replayed(fixture, policy, recorded.length)
  const silent = new Set(notEvaluated.map(({ rule }) => rule))
  const violationsOf = ({ violations, coverage, run }: Report) => {
    const shown = new Set(coverage.map(({ project }) => project).concat('hookdrift/policy'))
    const compared = violations
      .filter(({ project }) => shown.has(project))
      // Nor does a replay know what is overdue of a rule that it cannot evaluate.
      .filter(({ rule, path }) => !silent.has(rule) && !(rule === 'violation/overdue' && silent.has(ruleIn(path))))
    return { run: run.number, violations: compared.sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1)) }
  }
  for (const [index, report] of recorded.entries())
    expect.soft(violationsOf(at(reports, index))).toEqual(violationsOf(report))
}

describe('a replay of the policy of the time', () => {
  it('finds what every run recorded: first and last run, state, waiver and wording', async () => {
    await using fixture = await openFleetFixture({ fleet, harness })
    const reports = await live(fixture, policyOfThen)
    const states = new Set(reports.flatMap(({ violations }) => violations.map(({ state }) => state)))
    expect([...states].sort()).toEqual(['continuing', 'opened', 'resolved', 'unknown', 'waived'])
    expect(new Set(reports.flatMap(({ violations }) => violations.map(({ rule }) => rule))).size).toBeGreaterThan(40)
    const overdue = reports.flatMap((report) => report.violations.filter(({ rule }) => rule === 'violation/overdue'))
    expect(new Set(overdue.map(({ state }) => state))).toEqual(new Set(['opened', 'continuing', 'unknown', 'resolved']))
    await expectRecorded(fixture, policyOfThen, reports)
  })

  it('finds the same in runs in which nothing changed, until a rule or a waiver asks for another answer', async () => {
    await using fixture = await openFleetFixture({ fleet, harness })
    const policy = policyOf(`
extends: [all]
rules: { endpoint/paused-long: { max_hours: 40 }, drift/flapping: {} }
waivers:
  - { rule: endpoint/secret-shared, match: { name: "*" }, owner: payments team, reason: moves soon, expires: "2026-11-22T12:00:00Z" }
`)
    const reports: Report[] = []
    const audit = async (times: number) => {
      for (let turn = 0; turn < times; turn++) {
        reports.push(await fixture.audit({ policy }))
        fixture.harness.advance(14 * hour)
      }
    }
    const payments = fixture.uidOf('payments')
    const endpointIn = (project: string, index: number) => {
      return { project, uid: at(fixture.fleet.open(project).endpoints, index).uid }
    }
    const orders = fixture.uidOf('orders')
    for (const index of [3, 4]) replaceSecret(fixture.fleet, endpointIn(orders, index), 'letmein')
    await audit(2)
    setEndpointStatus(fixture.fleet, endpointIn(payments, 1), 'paused')
    await audit(6)
    const statesOf = (rule: string) =>
      new Set(reports.flatMap(({ violations }) => violations.flatMap((one) => (one.rule === rule ? [one.state] : []))))
    expect(statesOf('endpoint/secret-shared')).toEqual(new Set(['waived', 'continuing']))
    expect(statesOf('endpoint/paused-long')).toContain('opened')
    await expectRecorded(fixture, policy, reports)
  })

  it('counts what changed before a project had another name', async () => {
    const clean = generateFleet({ clean: true, projects: 1, incomingEvery: 0 })
    const [{ uid: project = '' } = {}] = clean.projects()
    const projects: Record<string, string> = { payments: project }
    await using fixture = await openFleetFixture({ fleet: clean, harness: { projects } })
    const policy = policyOf('extends: []\nrules: { drift/flapping: {} }')
    const reports: Report[] = []
    for (const timeout of [20, 21, 22, 23]) {
      if (timeout === 23) {
        delete projects.payments
        projects.billing = project
      }
      const { uid } = at(clean.open(project).endpoints, 0)
      changeEndpoint(clean, { project, uid }, (row) => ({ ...row, http_timeout: timeout }))
      reports.push(await fixture.audit({ policy }))
      fixture.harness.advance(hour)
    }
    expect(reports.at(-1)?.violations.map(({ rule }) => rule)).toEqual(['drift/flapping'])
    await expectRecorded(fixture, policy, reports)
  })

  it('evaluates another policy: since when, and what came and went', async () => {
    await using fixture = await openFleetFixture({ fleet, harness })
    const reports = await live(fixture, policyOf('extends: []\nrules: { endpoint/inactive: {} }'))
    const startOf = (run: number) => at(reports, run - 1).run.started_at
    const paused = policyOf('extends: []\nrules: { endpoint/paused-long: { max_hours: 13 } }')
    const { ended, notEvaluated } = await replayed(fixture, paused, reports.length)
    // Paused before run 2 until before run 8. Runs 3 and 4 broke off, and nothing shows that they saw it.
    const mine = ended.filter(({ rule }) => rule === 'endpoint/paused-long')
    expect(mine.map(({ first_seen, last_seen, resolved_at }) => [first_seen, last_seen, resolved_at])).toEqual([
      [startOf(5), startOf(7), startOf(8)],
    ])
    expect(notEvaluated).toEqual([])
  })

  it('compares with the baselines of the time, from their approval until they were revoked', async () => {
    await using fixture = await openFleetFixture({ fleet, harness })
    const policy = policyOf('extends: []\nrules: { drift/unexpected: {}, endpoint/failure-rate-high: {} }')
    const reports: Report[] = []
    const audit = async () => {
      reports.push(await fixture.audit({ policy }))
      fixture.harness.advance(hour)
    }
    await audit()
    await fixture.approve()
    fixture.harness.advance(hour)
    fixture.set({ name: 'renamed' })
    await audit()
    await audit()
    const now = new Date(fixture.harness.clock.now()).toISOString()
    await fixture.harness.withHistory(async (history) => {
      const ids = (await listApprovals(history)).map(({ id }) => id)
      await history.revoke(ids, { at: now, by: 'eve', osUser: undefined })
    })
    fixture.harness.advance(hour)
    await audit()
    const ofDrift = reports.map(({ violations }) =>
      violations.flatMap((one) => (one.rule === 'drift/unexpected' ? [one.resolution ?? one.state] : [])),
    )
    expect(ofDrift).toEqual([[], ['opened'], ['continuing'], ['policy']])
    await expectRecorded(fixture, policy, reports)
    const { notEvaluated } = await replayed(fixture, policy, reports.length)
    expect(notEvaluated.map(({ rule, projects }) => [rule, projects])).toEqual([
      ['endpoint/failure-rate-high', undefined],
    ])
  })

  it('knows for every rule whether it reads data that is not stored', () => {
    const checkout = (path: string) => new URL(`../../${path}`, import.meta.url)
    const files = (id: string, kind: string) => [checkout(`src/rules/${id}.ts`), checkout(tableFile(kind))]
    const source = (id: string, kind: string) => readFileSync(files(id, kind).find(existsSync) ?? '', 'utf8')
    const reading = rules.filter(
      ({ id, kind, needs }) => !needs.includes('probe') && source(id, kind).includes('volatile'),
    )
    expect(rules.filter(({ unrecorded }) => unrecorded !== undefined).map(({ id }) => id)).toEqual(
      reading.map(({ id }) => id),
    )
  })
})
