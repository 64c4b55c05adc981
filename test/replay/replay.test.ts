import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tableFile } from '../../scripts/rule-table.ts'
import { changeEndpoint, replaceSecret, setEndpointStatus } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { Report } from '../../src/model/report.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { replayPolicy } from '../../src/replay/replay-policy.ts'
import { rules } from '../../src/rules/rules.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at, type FleetFixture, openFleetFixture } from '../audit/fleet-fixture.ts'
import { liveThrough, policyOfThen } from '../audit/live-through.ts'
import { violationsOf } from './violations-of.ts'

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
    const replay = await replayPolicy(history, { policy, runs, clock: () => 0 })
    return { replay, violations: violationsOf(replay, at(runs, runs.length - 1)) }
  } finally {
    await history.close()
  }
}

/** That a replay up to each run finds what the run recorded. */
async function expectRecorded(fixture: FleetFixture, policy: Policy, reports: readonly Report[]) {
  for (const report of reports) {
    const { replay, violations } = await replayed(fixture, policy, report.run.number)
    const silent = new Set(replay.notEvaluated.map(({ rule }) => rule))
    const recorded = report.violations
      // Nor does a replay know what is overdue of a rule that it cannot evaluate.
      .filter(({ rule, path }) => !silent.has(rule) && !(rule === 'violation/overdue' && silent.has(ruleIn(path))))
      // Due dates are composed with the report.
      .map(({ due_at: _, ...violation }) => violation)
    const shown = new Set(report.coverage.map(({ project }) => project).concat('hookdrift/policy'))
    const got = violations
      .filter(({ project }) => shown.has(project))
      .map(({ first_seen, last_seen, ended_by, ...violation }) => ({
        ...violation,
        first_seen,
        last_seen,
        ended_by,
      }))
    const key = (one: { fingerprint: string }) => one.fingerprint
    const sort = <Row extends { fingerprint: string }>(rows: readonly Row[]) =>
      [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1))
    expect
      .soft({ run: report.run.number, violations: sort(got) })
      .toEqual({ run: report.run.number, violations: sort(recorded) })
  }
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
    const { replay } = await replayed(fixture, paused, reports.length)
    // Paused before run 2 until before run 8. Runs 3 and 4 broke off, and nothing shows that they saw it.
    const mine = replay.ended.filter(({ rule }) => rule === 'endpoint/paused-long')
    expect(mine.map(({ first, last, gone }) => [first.started_at, last.started_at, gone?.started_at])).toEqual([
      [startOf(5), startOf(7), startOf(8)],
    ])
    expect(replay.notEvaluated).toEqual([])
  })

  it('names rules that the history cannot evaluate while a baseline was approved', async () => {
    await using fixture = await openFleetFixture({ fleet, harness })
    const policy = policyOf('extends: []\nrules: { drift/unexpected: {}, endpoint/failure-rate-high: {} }')
    await fixture.audit({ policy })
    const history = openSqliteHistory(fixture.harness.file, fixture.harness.owner)
    const project = { name: 'acme/payments', service: 'acme', uid: fixture.uidOf('payments') }
    const when = new Date(fixture.harness.clock.now()).toISOString()
    await history.approve([{ project, scopes: {}, note: '', by: 'alice', at: when, state: { run: 1 } }])
    await history.close()
    await fixture.audit()
    const { replay } = await replayed(fixture, policy, 2)
    expect(replay.notEvaluated.map(({ rule, projects }) => [rule, projects])).toEqual([
      ['drift/unexpected', ['acme/payments']],
      ['endpoint/failure-rate-high', undefined],
    ])
    const failed = replay.context.projects.map(({ gaps }) => gaps.filter(({ cause }) => cause === 'rule_failed'))
    expect(failed.map((gaps) => gaps.length)).toEqual([1, 1, 2])
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
