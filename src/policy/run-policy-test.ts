import { hash } from 'node:crypto'
import { createSealer } from '../gateway/inventory/sealer.ts'
import { type FilterReadings, takeInventory } from '../gateway/inventory/take-inventory.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import type { ProjectRef, Resource } from '../model/resource.ts'
import { dayMs, isoTime, readTime } from '../model/time.ts'
import type { Finding } from '../model/violation.ts'
import { concludeFleetRules } from './conclude-fleet-rules.ts'
import { createEvaluator } from './evaluator.ts'
import type { Policy } from './policy.ts'
import type { PolicyTest } from './policy-test-schema.ts'

/** The result of a policy test. */
export interface TestOutcome {
  /** Indexes in `expect` of missing violations. */
  readonly missing: readonly number[]
  /** Unexpected violations. */
  readonly unexpected: readonly Finding[]
  /** Rules that could not evaluate, and why. */
  readonly failures: ReadonlyMap<string, string>
}

/** Seals of a test are only compared with each other. */
const sealer = createSealer(Buffer.alloc(32, 1))
const listingOf = {
  project: 'project',
  endpoint: 'endpoints',
  source: 'sources',
  event_type: 'event_types',
  subscription: 'subscriptions',
} as const

/** Evaluates the resources of a test as a complete run would. */
export function runPolicyTest(policy: Policy, test: PolicyTest): TestOutcome {
  const at = readTime(test.at)?.start ?? Number.NaN
  const [service = '', name = ''] = test.project.split('/')
  const project: ProjectRef = { name: test.project, service, uid: name }
  const { labels } = test
  const evaluator = createEvaluator(policy, at, () => labels).forProject(project)
  const resources = resourcesOf(test, at)
  const ofProject = [
    ...resources.flatMap((resource) => evaluator.evaluate(resource)),
    ...evaluator.conclude({ isComplete: () => true }),
  ]
  const evaluation = evaluator.outcome()
  const { findings, failures } = concludeFleetRules([{ project, labels, evaluation }], policy, at)
  const all = [...ofProject, ...findings.map(({ finding }) => finding)]
  const open = all.filter(({ waiver }) => waiver === undefined)
  // A rule finds nothing in a resource whose field it cannot read.
  const doubts = Object.entries(evaluation.doubts).flatMap(([rule, { fields }]) =>
    fields.map(({ kind, field, cause }) => [rule, `${cause} ${field} of ${kind}`] as const),
  )
  const failed = Object.entries({ ...failures, ...evaluation.failures })
  return { ...compare(test, open), failures: new Map([...doubts, ...failed]) }
}

interface Item {
  readonly kind: keyof typeof listingOf
  readonly item: JsonObject
}

/**
 * Resources in the service's own form without a finding of any rule, so that a policy test shows only its own subject.
 * `at`: milliseconds, when they are evaluated.
 */
const cleanResources = {
  project: (uid: string, at: number): JsonObject => ({
    ...stamps(uid, at),
    name: uid,
    type: 'outgoing',
    config: {
      max_payload_read_size: 524_288,
      replay_attacks_prevention_enabled: false,
      add_event_id_trace_headers: true,
      disable_endpoint: true,
      multiple_endpoint_subscriptions: false,
      search_policy: '720h',
      ssl: { enforce_secure_endpoints: true },
      ratelimit: { count: 1000, duration: 60 },
      strategy: { type: 'exponential', duration: 60, retry_count: 10 },
      signature: {
        header: 'X-Signature',
        versions: [{ uid: `${uid}-v1`, hash: 'SHA256', encoding: 'hex', created_at: isoTime(at - 10 * dayMs) }],
      },
      meta_event: { is_enabled: false, type: '', event_type: null, url: '', secret: '', pub_sub: null },
    },
  }),
  endpoint: (uid: string, at: number): JsonObject => ({
    ...stamps(uid, at),
    owner_id: 'tenant-01',
    name: uid,
    description: '',
    url: `https://${uid.toLowerCase().replace(/[^a-z0-9-]/g, '-')}.receiver.acme/events`,
    status: 'active',
    content_type: 'application/json',
    advanced_signatures: true,
    http_timeout: 30,
    rate_limit: 100,
    rate_limit_duration: 60,
    support_email: 'hooks@example.com',
    secrets: [
      {
        uid: `${uid}-secret`,
        value: secretOf(uid),
        created_at: isoTime(at - 10 * dayMs),
        expires_at: null,
        deleted_at: null,
      },
    ],
    authentication: null,
    failure_rate: 0,
  }),
  subscription: (uid: string, at: number): JsonObject => ({
    ...stamps(uid, at),
    name: uid,
    type: 'api',
    delivery_mode: 'at_least_once',
    function: '',
    retry_config: null,
    rate_limit_config: null,
    alert_config: null,
    filter_config: { event_types: [`${uid.toLowerCase()}.created`], filter: { headers: {}, body: {} } },
  }),
  event_type: (uid: string, _at: number): JsonObject => ({
    uid,
    name: `${uid.toLowerCase()}.created`,
    category: 'orders',
    description: '',
    json_schema: null,
    deprecated_at: null,
  }),
  source: (uid: string, at: number): JsonObject => ({
    ...stamps(uid, at),
    name: uid,
    type: 'http',
    provider: '',
    url: `https://ingest.example.com/${uid}`,
    mask_id: uid,
    is_disabled: false,
    body_function: '',
    header_function: '',
    forward_headers: [],
    idempotency_keys: ['request.header.X-Event-Id'],
    custom_response: { body: '', content_type: '' },
    pub_sub: null,
    verifier: {
      type: 'hmac',
      hmac: { encoding: 'hex', hash: 'SHA256', header: 'X-Signature', secret: secretOf(`${uid}-verifier`) },
    },
  }),
} as const

/** In the order of walking. */
function resourcesOf(test: PolicyTest, at: number): readonly Resource[] {
  const named = test.resources.map(({ kind, ...said }, index): Item => {
    const uid = said.uid ?? `${kind}-${index + 1}`
    // The content of a YAML file is JSON.
    return { kind, item: overlaid(cleanResources[kind](uid, at), { ...said, uid } as unknown as JsonObject) }
  })
  const all = test.companions ? withCompanions(named, at) : named
  return (['project', 'endpoint', 'source', 'event_type', 'subscription'] as const).flatMap((kind) => {
    const items = all.flatMap((each) => (each.kind === kind ? [asListed(each)] : []))
    const { listed } = takeInventory(listingOf[kind], items, sealer, filterReadingsOf(items))
    // What a test leaves out is empty.
    return listed.map(({ unseen: _, ...resource }) => resource)
  })
}

/** Merges members of objects; any other value replaces the former one. */
function overlaid(base: JsonObject, over: JsonObject): JsonObject {
  const merged = Object.entries(over).map(([key, value]): [string, Json] => {
    const before = base[key]
    return [key, isJsonObject(before) && isJsonObject(value) ? overlaid(before, value) : value]
  })
  return { ...base, ...Object.fromEntries(merged) }
}

const companion = 'companion'

/**
 * Adds the neighbours of a clean resource: a subscription without an endpoint gets one, an endpoint or a source without
 * a subscription gets one. A named neighbour that is missing stays missing: the test is about it.
 */
function withCompanions(items: readonly Item[], at: number): readonly Item[] {
  const aimed = items.map((each): Item => {
    const isAimed =
      each.kind !== 'subscription' || each.item.endpoint_uid !== undefined || each.item.device_uid !== undefined
    return isAimed ? each : { ...each, item: { ...each.item, endpoint_uid: companion } }
  })
  const targets = new Set(aimed.flatMap(({ item }) => [item.endpoint_uid, item.source_uid]))
  const lonely = aimed.filter(
    ({ kind, item }) => (kind === 'endpoint' || kind === 'source') && !targets.has(item.uid ?? null),
  )
  const subscriptions = lonely.map(({ kind, item: { uid = '' } }): Item => {
    const ends = kind === 'endpoint' ? { endpoint_uid: uid } : { endpoint_uid: companion, source_uid: uid }
    return { kind: 'subscription', item: { ...cleanResources.subscription(`to-${String(uid)}`, at), ...ends } }
  })
  const all = [...aimed, ...subscriptions]
  const needsEndpoint = all.some(({ item }) => item.endpoint_uid === companion)
  const endpoint: Item = { kind: 'endpoint', item: cleanResources.endpoint(companion, at) }
  return [...all, ...catalogued(all, at), ...(needsEndpoint ? [endpoint] : [])]
}

/** What clean subscriptions ask for, where a test shows a catalogue: what is missing there is a test's own subject. */
function catalogued(items: readonly Item[], at: number): readonly Item[] {
  if (!items.some(({ kind }) => kind === 'event_type')) return []
  return items.flatMap(({ kind, item: { uid = '' } }): Item[] => {
    if (kind !== 'subscription') return []
    return [{ kind: 'event_type', item: { ...cleanResources.event_type(String(uid), at), uid: `of-${String(uid)}` } }]
  })
}

/** A subscription names its neighbours by uid; the service shows them embedded. */
function asListed({ kind, item }: Item): JsonObject {
  if (kind !== 'subscription') return item
  const { endpoint_uid: endpoint = null, source_uid: source = null, device_uid: device = null, ...rest } = item
  const embedded = (uid: Json) => (uid === null ? null : { uid })
  return {
    endpoint_metadata: embedded(endpoint),
    source_metadata: embedded(source),
    device_metadata: embedded(device),
    ...rest,
  }
}

/** Filter rows that a test gives a subscription, as the service lists them; without any, they were never read. */
function filterReadingsOf(items: readonly JsonObject[]): FilterReadings {
  return new Map(
    items.flatMap(({ uid, filters }) =>
      typeof uid === 'string' && Array.isArray(filters) ? [[uid, filters.filter(isJsonObject)] as const] : [],
    ),
  )
}

function stamps(uid: string, at: number): JsonObject {
  const created = isoTime(at - 10 * dayMs)
  return { uid, project_id: 'test', created_at: created, updated_at: created, deleted_at: null }
}

/** Unique and hard to guess, but not a secret: it follows from the uid. */
function secretOf(uid: string): string {
  return hash('sha256', `not-a-real-key ${uid}`)
}

function compare({ expect, exact }: PolicyTest, findings: readonly Finding[]): Omit<TestOutcome, 'failures'> {
  const unmatched = [...findings]
  const missing: number[] = []
  for (const [index, expected] of expect.entries()) {
    const at = unmatched.findIndex((finding) => fits(expected, finding))
    if (at < 0) missing.push(index)
    else unmatched.splice(at, 1)
  }
  return { missing, unexpected: exact ? unmatched : [] }
}

function fits({ rule, uid, path, severity, message }: PolicyTest['expect'][number], finding: Finding): boolean {
  return (
    finding.rule === rule &&
    (uid === undefined || finding.uid === uid) &&
    (path === undefined || finding.path === path) &&
    (severity === undefined || finding.severity === severity) &&
    (message === undefined || finding.message.includes(message))
  )
}
