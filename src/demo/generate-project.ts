import { dayMs } from '../model/time.ts'
import { type Random, ulid } from './random.ts'
import {
  type AuthenticationRow,
  type EndpointRow,
  type ProjectData,
  type ProjectRow,
  type SecretRow,
  type SourceRow,
  type SubscriptionRow,
  timestamp,
  type VerifierRow,
} from './rows.ts'

export interface Sizes {
  readonly endpointsPerProject: number
  /** One per endpoint; with more than endpoints, the project allows several. */
  readonly subscriptionsPerProject: number
  /** Of incoming projects only. */
  readonly sourcesPerProject: number
}

interface Site {
  readonly project: ProjectRow
  readonly sizes: Sizes
  readonly baseTimeMs: number
  readonly random: Random
}

/** Generates the content of a project without any violation. Newest first. */
export function generateProject({ project, sizes, baseTimeMs, random }: Site): ProjectData {
  const endpoints = times(sizes.endpointsPerProject, (index, count) =>
    anEndpoint({ project, index, timeMs: timeOf({ index, count, endMs: baseTimeMs - 30 * dayMs, random }), random }),
  )
  const sources = times(project.type === 'incoming' ? sizes.sourcesPerProject : 0, (index, count) =>
    aSource({ project, index, timeMs: timeOf({ index, count, endMs: baseTimeMs - 30 * dayMs, random }), random }),
  )
  const subscriptions = times(endpoints.length === 0 ? 0 : sizes.subscriptionsPerProject, (index, count) => {
    const timeMs = timeOf({ index, count, endMs: baseTimeMs, random })
    const endpoint = endpoints[index % endpoints.length]
    const source = sources[index % sources.length]
    const subscription = aSubscription({ project, index, timeMs, random }, endpoint, source)
    // An endpoint's second subscription is for other events: the same ones would be delivered twice.
    const round = Math.floor(index / endpoints.length)
    return round === 0 || source !== undefined ? subscription : withEventVersion(subscription, round + 1)
  })
  return { endpoints: endpoints.reverse(), sources: sources.reverse(), subscriptions: subscriptions.reverse() }
}

function withEventVersion(subscription: SubscriptionRow, version: number): SubscriptionRow {
  const { event_types, filter } = subscription.filter_config
  return { ...subscription, filter_config: { filter, event_types: event_types.map((type) => `${type}.v${version}`) } }
}

/** A thing to generate: its project, its index, its time. */
interface Birth {
  readonly project: ProjectRow
  readonly index: number
  readonly timeMs: number
  readonly random: Random
}

export function aSecret(timeMs: number, random: Random): SecretRow {
  const created_at = timestamp(timeMs, '204911')
  const value = `whsec_not-a-real-key-${random.hex(40)}`
  return { uid: ulid(timeMs, random), value, expires_at: null, created_at, updated_at: created_at, deleted_at: null }
}

function anEndpoint({ project, index, timeMs, random }: Birth): EndpointRow {
  const topic = random.pick(topics)
  const owner = `tenant-${String(1 + random.below(24)).padStart(2, '0')}`
  const created_at = timestamp(timeMs, '618')
  return {
    uid: ulid(timeMs, random),
    project_id: project.uid,
    owner_id: owner,
    url: `https://hooks.${owner}.example.com/${topic}/${index + 1}`,
    name: `${topic}-${String(index + 1).padStart(3, '0')}`,
    secrets: [aSecret(timeMs, random)],
    advanced_signatures: true,
    description: `${topic} events for ${owner}`,
    slack_webhook_url: '',
    support_email: `ops@${owner}.example.com`,
    teams_webhook_url: '',
    status: 'active',
    http_timeout: random.pick([10, 10, 10, 15, 20, 30]),
    authentication: authenticationOf(owner, random),
    mtls_client_cert: null,
    rate_limit: random.pick([50, 100, 100, 200]),
    rate_limit_duration: 60,
    content_type: 'application/json',
    failure_rate: null,
    cb_state: null,
    created_at,
    updated_at: created_at,
  }
}

export function aSubscription(
  { project, index, timeMs, random }: Birth,
  endpoint: EndpointRow | undefined,
  source?: SourceRow,
): SubscriptionRow {
  const created_at = timestamp(timeMs, '27')
  const topic = endpoint?.name.split('-')[0] ?? 'events'
  return {
    uid: ulid(timeMs, random),
    name: `${topic}-to-${endpoint?.owner_id ?? 'unassigned'}-${index + 1}`,
    type: 'api',
    project_id: project.uid,
    function: null,
    source_id: source?.uid ?? null,
    endpoint_id: endpoint?.uid ?? null,
    alert_config: random.chance(0.2) ? { count: 4, threshold: '1h' } : null,
    retry_config: random.chance(0.3) ? { type: 'linear', duration: 10, retry_count: 3 } : null,
    filter_config: {
      // The events of an http source have one type, its mask, which few people name.
      event_types: source === undefined ? [`${topic}.created`, `${topic}.updated`] : ['*'],
      filter: { is_flattened: true, headers: {}, body: {} },
    },
    rate_limit_config: random.chance(0.2) ? { count: 1000, duration: 60 } : null,
    delivery_mode: 'at_least_once',
    created_at,
    updated_at: created_at,
  }
}

export function aSource({ project, index, timeMs, random }: Birth): SourceRow {
  const created_at = timestamp(timeMs, '53')
  const mask = random.hex(16)
  return {
    uid: ulid(timeMs, random),
    project_id: project.uid,
    mask_id: mask,
    name: `${random.pick(senders)}-${index + 1}`,
    url: `https://hooks.example.com/ingest/${mask}`,
    type: 'http',
    provider: '',
    is_disabled: false,
    verifier: verifierOf(random),
    custom_response: { body: '', content_type: '' },
    provider_config: null,
    forward_headers: [],
    pub_sub: null,
    idempotency_keys: ['request.Header.X-Event-Id'],
    body_function: random.chance(0.25) ? reshape : null,
    header_function: null,
    event_type_location: '',
    created_at,
    updated_at: created_at,
  }
}

const topics = [
  'billing',
  'checkout',
  'crm',
  'export',
  'fraud',
  'invoice',
  'ledger',
  'mail',
  'parcel',
  'refund',
  'stock',
  'tax',
] as const
const senders = ['acquirer', 'bank', 'carrier', 'marketplace', 'payroll', 'storefront'] as const
const reshape = 'function transform(payload) { return { event_type: payload.type, data: payload } }'

function times<Row>(count: number, make: (index: number, count: number) => Row): Row[] {
  return Array.from({ length: count }, (_, index) => make(index, count))
}

/** Evenly spread over the 30 days before `endMs`, so that uids rise with the index. */
function timeOf({
  index,
  count,
  endMs,
  random,
}: {
  index: number
  count: number
  endMs: number
  random: Random
}): number {
  const slotMs = Math.max(1, Math.floor((30 * dayMs) / (count + 1)))
  return endMs - (count - index) * slotMs + random.below(slotMs)
}

function authenticationOf(owner: string, random: Random): AuthenticationRow {
  const secret = `not-a-real-key-${random.hex(40)}`
  const kind = random.below(10)
  if (kind < 7) return { type: 'api_key', api_key: { header_value: secret, header_name: 'X-Api-Key' } }
  if (kind < 9) return { type: 'basic_auth', basic_auth: { username: `hooks-${owner}`, password: secret } }
  return {
    type: 'oauth2',
    oauth2: {
      url: `https://idp.${owner}.example.com/token`,
      client_id: `hooks-${owner}`,
      grant_type: 'client_credentials',
      authentication_type: 'shared_secret',
      client_secret: secret,
    },
  }
}

function verifierOf(random: Random): VerifierRow {
  const none = { hmac: null, basic_auth: null, api_key: null }
  const secret = `not-a-real-key-${random.hex(40)}`
  if (random.chance(0.75)) {
    return { ...none, type: 'hmac', hmac: { header: 'X-Signature', hash: 'SHA256', secret, encoding: 'hex' } }
  }
  return { ...none, type: 'api_key', api_key: { header_value: secret, header_name: 'X-Api-Key' } }
}
