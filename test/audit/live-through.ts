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
} from '../../src/demo/edits.ts'
import type { Report } from '../../src/model/report.ts'
import { type AuditTurn, policyOf } from './audit-harness.ts'
import { at, type FleetFixture } from './fleet-fixture.ts'

export const policyOfThen = policyOf(`
extends: [all]
rules:
  endpoint/paused-long: { max_hours: 24 }
  endpoint/secret-stale: {}
  drift/unexpected: {}
  drift/flapping: {}
overrides:
  - { match: { name: "*a*" }, rules: { endpoint/owner-missing: off, endpoint/rate-limit-absent: high, endpoint/secret-shared: low } }
  - { match: { labels: { env: test }, kind: subscription }, rules: { subscription/wildcard: critical } }
due: { critical: 1d, high: 2d, medium: 40h, low: 5d }
waivers:
  - { rule: endpoint/url-not-https, match: { project: "acme/*" }, owner: payments team, reason: moves soon, expires: "2026-11-22T12:00:00Z" }
  - { rule: endpoint/secret-shared, match: { name: "*" }, owner: payments team, reason: moves soon, expires: 2026-11-23 }
  - { rule: endpoint/mtls-broken, match: { name: no-such-endpoint }, owner: payments team, reason: moves soon, expires: 2026-11-30 }
custom:
  - { id: acme/young, kind: endpoint, assert: "age(resource.created_at) > days(21)", severity: low, message: "{resource.name} is young" }
  - { id: acme/active, kind: subscription, when: "resource.name != ''", assert: "endpoint.status == 'active'", severity: medium, message: "sends to {endpoint.name}" }
  - { id: acme/counted, kind: endpoint, assert: "subscriptions > 0", severity: info, message: "no subscription" }
`)

/** A small fleet over some runs: edits, walks that break off, runs that scan a part. `run`: audits it once. */
export async function liveThrough(
  { fleet, service }: Pick<FleetFixture, 'fleet' | 'service'>,
  run: (turn: Omit<AuditTurn, 'url'>) => Promise<Report>,
): Promise<Report[]> {
  const [payments, orders, incoming] = fleet.projects().map(({ uid }) => uid)
  if (payments === undefined || orders === undefined || incoming === undefined) throw new Error('too small')
  const endpoint = (project: string, index: number) => ({ project, uid: at(fleet.open(project).endpoints, index).uid })
  const source = (index: number) => ({ project: incoming, uid: at(fleet.open(incoming).sources, index).uid })
  const subscription = (index: number) => ({ project: orders, uid: at(fleet.open(orders).subscriptions, index).uid })
  const nameOf = (index: number) => fleet.projects()[index]?.name ?? ''
  const reports: Report[] = []
  const audit = async (turn: Omit<AuditTurn, 'url'> = {}) => {
    reports.push(await run(turn))
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
