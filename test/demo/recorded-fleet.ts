import { createFleet, type SimulatedFleet } from '../../src/demo/fleet.ts'
import type { EndpointRow, ProjectRow, SourceRow, SubscriptionRow } from '../../src/demo/rows.ts'
import type { RecordedExchange } from '../service/replay-server.ts'

/**
 * A fleet of the rows in a recording, to compare the simulated service's answers with the real one's. Later exchanges
 * overrule earlier ones; keys are the recordings' placeholders.
 */
export function recordedFleet(exchanges: readonly RecordedExchange[]): SimulatedFleet {
  const projects = new Map<string, ProjectRow>()
  const endpoints = new Map<string, EndpointRow>()
  const sources = new Map<string, SourceRow>()
  const subscriptions = new Map<string, SubscriptionRow>()
  for (const { request, response } of exchanges) {
    if (response.status !== 200) continue
    const data = JSON.parse(response.body).data
    for (const item of data?.content ?? []) {
      if (/\/endpoints\b/.test(request.path)) endpoints.set(item.uid, endpointRow(item))
      else if (/\/sources\b/.test(request.path)) sources.set(item.uid, sourceRow(item))
      else subscriptions.set(item.uid, subscriptionRow(item))
    }
    if (/^\/api\/v1\/projects\/[^/?]+$/.test(request.path)) projects.set(data.uid, projectRow(data))
    if (/^\/api\/v1\/projects\?/.test(request.path)) for (const item of data) projects.set(item.uid, projectRow(item))
  }
  for (const uid of unverified(exchanges)) {
    const source = sources.get(uid)
    if (source !== undefined) sources.set(uid, { ...source, verifier: null })
  }
  const [first] = projects.values()
  const of = <Row extends { uid: string; project_id: string }>(rows: Map<string, Row>, project: string) =>
    [...rows.values()]
      .filter((row) => row.project_id === project)
      .sort((left, right) => (left.uid < right.uid ? 1 : -1))
  return createFleet({
    organisationId: first?.organisation_id ?? '',
    personalKey: '<personal-key>',
    baseTimeMs: Date.parse('2026-11-21T02:00:00Z'),
    projects: [...projects.values()],
    make: ({ uid }) => ({
      endpoints: of(endpoints, uid),
      subscriptions: of(subscriptions, uid),
      sources: of(sources, uid),
    }),
  })
}

// biome-ignore lint/suspicious/noExplicitAny: recorded items are taken as they are; the conformance test checks them
type Item = any

/** Sources without a verifier: only a subscription's stub shows the difference to a verifier that does nothing. */
function unverified(exchanges: readonly RecordedExchange[]): readonly string[] {
  return exchanges
    .filter(({ request, response }) => /\/subscriptions\b/.test(request.path) && response.status === 200)
    .flatMap(({ response }) => JSON.parse(response.body).data.content)
    .filter(({ source_metadata }: Item) => source_metadata !== null && source_metadata.verifier === null)
    .map(({ source_metadata }: Item) => source_metadata.uid)
}

function projectRow({ uid, name, organisation_id, type, config: shown, created_at, updated_at }: Item): ProjectRow {
  const config = { ...shown, ...madeByAnUpgrade, meta_event: { ...shown.meta_event, ...madeByAnUpgrade.meta_event } }
  const key = `<project-key:${name}>`
  return { uid, name, organisation_id, type, config, created_at, updated_at, key }
}

/** Members that an older release does not show, and an upgrade then does. */
const madeByAnUpgrade = {
  meta_event: { event_type: [], pub_sub: { type: '', workers: 0, sqs: null, google: null, kafka: null, amqp: null } },
  circuit_breaker: {
    sample_rate: 30,
    error_timeout: 30,
    failure_threshold: 70,
    success_threshold: 5,
    minimum_request_count: 10,
    observability_window: 5,
    consecutive_failure_threshold: 10,
  },
}

export function endpointRow(item: Item): EndpointRow {
  const { deleted_at: _, authentication, ...shown } = item
  return {
    owner_id: '',
    slack_webhook_url: '',
    support_email: '',
    teams_webhook_url: '',
    mtls_client_cert: null,
    content_type: 'application/json',
    cb_state: null,
    ...shown,
    authentication: authentication?.type === undefined ? null : authentication,
  }
}

function sourceRow(item: Item): SourceRow {
  const { deleted_at: _, verifier, ...shown } = item
  const used = (name: string) => (verifier.type === name ? verifier[name] : null)
  return {
    ...shown,
    verifier: { type: verifier.type, hmac: used('hmac'), basic_auth: used('basic_auth'), api_key: used('api_key') },
    pub_sub: null,
  }
}

function subscriptionRow(item: Item): SubscriptionRow {
  const { deleted_at: _, source_metadata, endpoint_metadata, device_metadata: __, ...shown } = item
  return {
    alert_config: null,
    retry_config: null,
    rate_limit_config: null,
    delivery_mode: 'at_least_once',
    ...shown,
    source_id: source_metadata?.uid || null,
    endpoint_id: endpoint_metadata?.uid || null,
  }
}
