import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { replayPolicy } from '../../../src/audit/replay/replay-policy.ts'
import { violationsOf } from '../../../src/audit/replay/replay-run.ts'
import {
  createEndpoint,
  createSubscription,
  deleteEndpoint,
  deleteSource,
  replaceSecret,
  rotateSecret,
  setEndpointStatus,
  updateEndpoint,
  updateProject,
  updateSource,
  updateSubscription,
} from '../../../src/demo/edits.ts'
import { openSqliteHistory } from '../../../src/history/sqlite/sqlite-history.ts'
import type { Report } from '../../../src/model/report.ts'
import type { Policy } from '../../../src/policy/policy.ts'
import { rules } from '../../../src/rules/rules.ts'
import { policyOf } from '../audit-harness.ts'
import { at, type FleetFixture, openFleetFixture } from '../fleet-fixture.ts'

const hour = 3_600_000

const policyOfThen = policyOf(`
extends: [all]
rules:
  endpoint/paused-long: { max_hours: 24 }
  endpoint/secret-stale: {}
  drift/unexpected: {}
  drift/flapping: {}
overrides:
  - { match: { name: "*a*" }, rules: { endpoint/owner-missing: off, endpoint/rate-limit-absent: high, endpoint/secret-shared: low } }
  - { match: { labels: { env: test }, kind: subscription }, rules: { subscription/wildcard: critical } }
waivers:
  - { rule: endpoint/url-not-https, match: { project: "acme/*" }, owner: payments team, reason: moves soon, expires: "2026-11-22T12:00:00Z" }
  - { rule: endpoint/secret-shared, match: { name: "*" }, owner: payments team, reason: moves soon, expires: 2026-11-23 }
  - { rule: endpoint/mtls-weak, match: { name: nobody }, owner: payments team, reason: moves soon, expires: 2026-11-30 }
custom:
  - { id: acme/young, kind: endpoint, assert: "age(resource.created_at) > days(21)", severity: low, message: "{resource.name} is young" }
  - { id: acme/active, kind: subscription, when: "resource.name != ''", assert: "endpoint.status == 'active'", severity: medium, message: "sends to {endpoint.name}" }
  - { id: acme/counted, kind: endpoint, assert: "subscriptions > 0", severity: info, message: "no subscription" }
`)

/** Ten days of a small fleet: edits, walks that break off, runs that look at a part. */
async function liveThrough(fixture: FleetFixture, policy: Policy): Promise<Report[]> {
  const { fleet, service } = fixture
  const [payments, orders, incoming] = fleet.projects().map(({ uid }) => uid)
  if (payments === undefined || orders === undefined || incoming === undefined) throw new Error('too small')
  const endpoint = (project: string, index: number) => ({ project, uid: at(fleet.open(project).endpoints, index).uid })
  const source = (index: number) => ({ project: incoming, uid: at(fleet.open(incoming).sources, index).uid })
  const subscription = (index: number) => ({
    project: orders,
    uid: at(fleet.open(orders).subscriptions, index).uid,
  })
  const nameOf = (index: number) => fleet.projects()[index]?.name ?? ''
  const reports: Report[] = []
  const audit = async (turn: Parameters<FleetFixture['audit']>[0] = {}) => {
    reports.push(await fixture.audit({ policy, ...turn }))
    fixture.harness.advance(14 * hour)
  }
  const breakOff = (path: RegExp) => service.failNext({ path, page: 2, how: 'reset', times: Number.POSITIVE_INFINITY })
  const mend = () => {
    service.faults.length = 0
  }

  await audit()
  setEndpointStatus(fleet, endpoint(payments, 1), 'paused')
  updateEndpoint(fleet, endpoint(payments, 2), { name: 'renamed', url: 'http://plain.example.com/x' })
  await audit()
  rotateSecret(fleet, endpoint(orders, 0))
  replaceSecret(fleet, endpoint(orders, 3), 'letmein')
  replaceSecret(fleet, endpoint(orders, 4), 'letmein')
  breakOff(/endpoints/)
  await audit()
  await audit()
  mend()
  deleteEndpoint(fleet, endpoint(orders, 5))
  await audit()
  updateSource(fleet, source(0), { is_disabled: true })
  updateSubscription(fleet, subscription(2), { retry_config: null })
  await audit({ only: [nameOf(0)] })
  breakOff(/subscriptions/)
  await audit()
  setEndpointStatus(fleet, endpoint(payments, 1), 'active')
  mend()
  await audit()
  createEndpoint(fleet, payments, { name: 'fresh', url: 'http://192.0.2.7/hook' })
  createSubscription(fleet, orders, { endpoint: endpoint(orders, 1).uid })
  updateProject(fleet, orders, { disable_endpoint: false })
  await audit()
  setEndpointStatus(fleet, endpoint(payments, 1), 'paused')
  deleteSource(fleet, source(1))
  await audit()
  setEndpointStatus(fleet, endpoint(payments, 1), 'active')
  await audit({ keys: { [nameOf(1)]: 'wrong-key' } })
  for (const place of [endpoint(orders, 3), endpoint(orders, 4)]) replaceSecret(fleet, place)
  await audit()
  await audit()
  return reports
}

const fleet = { clean: false, projects: 3, incomingEvery: 3, endpointsPerProject: 12, baseTime: '2026-11-20T00:00:00Z' }
const harness = { pageSize: 5, limits: { retries: 0 }, labels: { env: 'test' } }

async function replayed(fixture: FleetFixture, policy: Policy, last: number) {
  const history = openSqliteHistory(fixture.harness.file, fixture.harness.holder)
  try {
    const runs = (await history.runs()).filter(({ number }) => number <= last)
    const replay = await replayPolicy(history, { policy, runs, clock: () => 0 })
    return { replay, violations: violationsOf(replay, at(runs, runs.length - 1)) }
  } finally {
    await history.close()
  }
}

describe('a replay of the policy of the time', () => {
  it('finds what every run recorded: first and last sight, state, waiver and words', async () => {
    await using fixture = await openFleetFixture({ fleet, harness })
    const reports = await liveThrough(fixture, policyOfThen)
    const states = new Set(reports.flatMap(({ violations }) => violations.map(({ state }) => state)))
    expect([...states].sort()).toEqual(['continuing', 'opened', 'resolved', 'unknown', 'waived'])
    expect(new Set(reports.flatMap(({ violations }) => violations.map(({ rule }) => rule))).size).toBeGreaterThan(40)
    for (const report of reports) {
      const { replay, violations } = await replayed(fixture, policyOfThen, report.run.number)
      const silent = new Set(replay.unjudged.map(({ rule }) => rule))
      const recorded = report.violations.filter(({ rule }) => !silent.has(rule))
      const shown = new Set(report.coverage.map(({ project }) => project).concat('hookdrift/policy'))
      const got = violations
        .filter(({ project }) => shown.has(project))
        .map(({ firstSeen, lastSeen, ...violation }) => ({ ...violation, first_seen: firstSeen, last_seen: lastSeen }))
      const key = (one: { fingerprint: string }) => one.fingerprint
      const sort = <Row extends { fingerprint: string }>(rows: readonly Row[]) =>
        [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1))
      expect
        .soft({ run: report.run.number, violations: sort(got) })
        .toEqual({ run: report.run.number, violations: sort(recorded) })
    }
  })

  it('judges by another policy: since when, and what came and went', async () => {
    await using fixture = await openFleetFixture({ fleet, harness })
    const reports = await liveThrough(fixture, policyOf('extends: []\nrules: { endpoint/inactive: {} }'))
    const startOf = (run: number) => at(reports, run - 1).run.started_at
    const paused = policyOf('extends: []\nrules: { endpoint/paused-long: { max_hours: 13 } }')
    const { replay } = await replayed(fixture, paused, reports.length)
    // Paused before run 2 until before run 8. Runs 3 and 4 broke off, and nothing shows that they saw it.
    const mine = replay.ended.filter(({ finding }) => finding.rule === 'endpoint/paused-long')
    expect(mine.map(({ first, last, gone }) => [first.startedAt, last.startedAt, gone?.startedAt])).toEqual([
      [startOf(5), startOf(7), startOf(8)],
    ])
    expect(replay.unjudged).toEqual([])
  })

  it('names rules that the history cannot answer where an approved baseline held', async () => {
    await using fixture = await openFleetFixture({ fleet, harness })
    const policy = policyOf('extends: []\nrules: { drift/unexpected: {}, endpoint/failure-rate-high: {} }')
    await fixture.audit({ policy })
    const history = openSqliteHistory(fixture.harness.file, fixture.harness.holder)
    const project = { name: 'acme/payments', service: 'acme', uid: fixture.uidOf('payments') }
    const when = new Date(fixture.harness.clock.now()).toISOString()
    await history.approve([{ project, looks: {}, note: '', by: 'somebody', at: when, state: { run: 1 } }])
    await history.close()
    await fixture.audit({ policy })
    const { replay } = await replayed(fixture, policy, 2)
    expect(replay.unjudged.map(({ rule, projects }) => [rule, projects])).toEqual([
      ['drift/unexpected', ['acme/payments']],
      ['endpoint/failure-rate-high', undefined],
    ])
    expect(replay.context.projects.map(({ unjudged }) => Object.keys(unjudged).length)).toEqual([1, 1, 2])
  })

  it('knows of every rule whether it reads what is not kept', () => {
    const source = (id: string) => readFileSync(new URL(`../../../src/rules/${id}.ts`, import.meta.url), 'utf8')
    const reading = rules.filter(({ id, needs }) => !needs.includes('probe') && source(id).includes('volatile'))
    expect(rules.filter(({ unkept }) => unkept !== undefined).map(({ id }) => id)).toEqual(reading.map(({ id }) => id))
  })
})
