import { updateSource } from '../../src/demo/edits.ts'
import type { SourceRow } from '../../src/demo/rows.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { policyOf } from './audit-harness.ts'
import { at, type FleetFixture, type FleetFixtureOptions, openFleetFixture } from './fleet-fixture.ts'

/** One project with sources, the first of which has a body function. */
export async function intake(body: string, options: Partial<FleetFixtureOptions['service']> = {}) {
  const fixture = await openFleetFixture({
    fleet: { incomingEvery: 1, sourcesPerProject: 3, endpointsPerProject: 2 },
    service: { functionLimitMs: 300, ...options },
    harness: { limits: { retries: 1 } },
  })
  const project = at(fixture.fleet.projects(), 0).uid
  const sources = fixture.fleet.open(project).sources
  for (const { uid } of sources)
    updateSource(fixture.fleet, { project, uid }, { body_function: null, header_function: null })
  // One that a subscription uses, so that it can be seen without the list of sources too.
  const used = fixture.fleet.open(project).subscriptions.map(({ source_id }) => source_id)
  const first = at(
    sources.filter(({ uid }) => used.includes(uid)),
    0,
  ).uid
  const second = at(
    sources.filter(({ uid }) => uid !== first),
    0,
  ).uid
  const set = (uid: string, update: Partial<SourceRow>) => updateSource(fixture.fleet, { project, uid }, update)
  set(first, { body_function: body })
  return Object.assign(fixture, { project, first, second, set })
}

export type Intake = Awaited<ReturnType<typeof intake>>

/** Only rules about probes are on, so the report contains nothing else. */
export function probing(probes: string, payload: unknown = { a: 1 }, files: Record<string, string> = {}): Policy {
  const rules =
    'rules: { probe/failed: {}, probe/unexpected: {}, probe/output-changed: {}, source/function-broken: {} }'
  return policyOf(`extends: []\n${rules}\nprobes: [${probes}]`, { '/etc/p.json': JSON.stringify(payload), ...files })
}

export const ordersEntry = '{ name: orders, match: { kind: source }, function: body, payload: p.json }'
export const orders = (more = '') => probing(ordersEntry.replace(/ }$/, `${more} }`))

export const good = 'function transform(p) { return { event_type: "order.created", data: p } }'
export const bad = 'function transform(p) { throw new Error("boom " + p.a) }'

export const posts = ({ service }: Pick<FleetFixture, 'service'>) =>
  service.requests.filter(({ method }) => method === 'POST').length

/** The outcomes that the history holds now. */
export function held(fixture: Pick<FleetFixture, 'query'>) {
  return fixture
    .query<{ uid: string; body: string }>("SELECT uid, body FROM current_resource WHERE kind = 'probe' ORDER BY uid")
    .map(({ uid, body }) => ({ uid, ...JSON.parse(body) }))
}
