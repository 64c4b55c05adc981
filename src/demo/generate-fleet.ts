import { defaultCircuitBreaker } from '../gateway/fields.ts'
import { dayMs } from '../model/time.ts'
import { createFleet, type SimulatedFleet } from './fleet.ts'
import { aSecret, generateProject, type Sizes } from './generate-project.ts'
import { createRandom, type Random, ulid } from './random.ts'
import {
  defaultRequestIdHeader,
  type EndpointRow,
  type ProjectConfigRow,
  type ProjectData,
  type ProjectRow,
  type SourceRow,
  type SubscriptionRow,
  timestamp,
} from './rows.ts'

export interface FleetOptions extends Partial<Sizes> {
  /** The same seed and sizes give the same fleet, byte for byte. Default `hookdrift`. */
  readonly seed?: string | number
  /** Default 3. */
  readonly projects?: number
  /** Every nth project receives events from sources; 0 for none. Default 3. */
  readonly incomingEvery?: number
  /** Whether to leave out everything that violates a policy. Default false. */
  readonly clean?: boolean
  /** The fleet's current time: all of it was created in the 60 days before. Default 2026-11-01T00:00:00Z. */
  readonly baseTime?: string
}

/** Generates a fleet: its projects at once, their content on first use. */
export function generateFleet(options: FleetOptions = {}): SimulatedFleet {
  const {
    seed = 'hookdrift',
    projects = 3,
    incomingEvery = 3,
    clean = false,
    baseTime = '2026-11-01T00:00:00Z',
  } = options
  const { endpointsPerProject = 24 } = options
  const sizes: Sizes = {
    endpointsPerProject,
    subscriptionsPerProject: options.subscriptionsPerProject ?? endpointsPerProject,
    sourcesPerProject: options.sourcesPerProject ?? 8,
  }
  const baseTimeMs = Date.parse(baseTime)
  const random = createRandom(`${seed}`)
  const organisationId = ulid(baseTimeMs - 90 * dayMs, random)
  const personalKey = keyOf(seed, 'personal')
  const rows: ProjectRow[] = []
  const turns = { outgoing: 0, incoming: 0 }
  for (let index = 0; index < projects; index++) {
    const type = incomingEvery > 0 && index % incomingEvery === incomingEvery - 1 ? 'incoming' : 'outgoing'
    const timeMs = baseTimeMs - 61 * dayMs + index
    const config = configOf(ulid(timeMs, random), timeMs, sizes, clean)
    rows.push({
      uid: ulid(timeMs, random),
      name: nameOf(type, turns[type]++),
      organisation_id: organisationId,
      type,
      config: clean ? config : withProblem(config, index),
      created_at: timestamp(timeMs, '314'),
      updated_at: timestamp(timeMs, '314'),
      key: keyOf(seed, `project-${index}`),
    })
  }
  const indexes = new Map(rows.map(({ uid }, index) => [uid, index]))
  return createFleet({
    organisationId,
    personalKey,
    baseTimeMs,
    ingestUrl: 'https://hooks.example.com/ingest/',
    projects: rows,
    make(project) {
      const index = indexes.get(project.uid) ?? 0
      const its = createRandom(`${seed}/${index}`)
      const data = generateProject({ project, sizes, baseTimeMs, random: its })
      return clean ? data : plantProblems(data, { project, turn: index, baseTimeMs, random: its })
    },
  })
}

const outgoing = [
  'payments',
  'orders',
  'shipping',
  'billing',
  'loyalty',
  'returns',
  'ledger',
  'catalogue',
  'accounts',
  'risk',
]
const incoming = ['partner-intake', 'bank-feeds', 'carrier-events', 'shop-events', 'identity-events']

function nameOf(type: ProjectRow['type'], turn: number): string {
  const names = type === 'outgoing' ? outgoing : incoming
  const round = Math.floor(turn / names.length)
  return `${names[turn % names.length]}${round === 0 ? '' : `-${round + 1}`}`
}

/** A key in the service's form that names its owner. */
function keyOf(seed: string | number, owner: string): string {
  const random = createRandom(`${seed}/key/${owner}`)
  return `CO.demo${random.hex(12)}.not-a-real-key-${random.hex(49)}`
}

function configOf(signatureUid: string, timeMs: number, sizes: Sizes, clean: boolean): ProjectConfigRow {
  return {
    max_payload_read_size: 51200,
    replay_attacks_prevention_enabled: false,
    add_event_id_trace_headers: false,
    disable_endpoint: true,
    multiple_endpoint_subscriptions: sizes.subscriptionsPerProject > sizes.endpointsPerProject,
    search_policy: '',
    request_id_header: defaultRequestIdHeader,
    verify_dynamic_events: false,
    allow_unmatched_dynamic_urls: false,
    // With TLS enforced, the default fleet's plain addresses would be refused.
    ssl: { enforce_secure_endpoints: clean },
    ratelimit: { count: 1000, duration: 60 },
    strategy: { type: 'exponential', duration: 30, retry_count: 8 },
    signature: {
      header: 'X-Convoy-Signature',
      versions: [{ uid: signatureUid, hash: 'SHA256', encoding: 'hex', created_at: timestamp(timeMs, '201448') }],
    },
    meta_event: {
      is_enabled: false,
      type: '',
      event_type: [],
      url: '',
      secret: '',
      pub_sub: { type: '', workers: 0, sqs: null, google: null, kafka: null, amqp: null },
    },
    circuit_breaker: defaultCircuitBreaker,
  }
}

/** One project in six retries a failed delivery every second, fifty times. */
function withProblem(config: ProjectConfigRow, index: number): ProjectConfigRow {
  return index % 6 === 1 ? { ...config, strategy: { type: 'linear', duration: 1, retry_count: 50 } } : config
}

interface Plot {
  readonly project: ProjectRow
  /** The project's index in its fleet: neighbours get different problems. */
  readonly turn: number
  readonly baseTimeMs: number
  readonly random: Random
}

/**
 * Plants problems in a few resources of a project. Two consecutive projects share out every problem, each resource has
 * at most one, and no more than a third of the resources has any.
 */
function plantProblems(data: ProjectData, { project, turn, baseTimeMs, random }: Plot): ProjectData {
  const half = project.type === 'incoming' ? undefined : turn % 2
  const share = <Problem>(problems: readonly Problem[]) =>
    problems.filter((_, index) => half === undefined || index % 2 === half)
  return {
    endpoints: plant(data.endpoints, share(endpointProblems), { baseTimeMs, random }),
    subscriptions: plant(data.subscriptions, share(subscriptionProblems), { baseTimeMs, random }),
    sources: plant(data.sources, sourceProblems, { baseTimeMs, random }),
  }
}

interface PlantingContext {
  readonly baseTimeMs: number
  readonly random: Random
}

/** `neighbour` is another resource that remains unchanged. */
type PlantedProblem<Row> = (row: Row, neighbour: Row, context: PlantingContext) => Row

const endpointProblems: readonly PlantedProblem<EndpointRow>[] = [
  (row) => ({ ...row, secrets: [] }),
  (row) => ({ ...row, url: row.url.replace('https:', 'http:') }),
  (row, _, { baseTimeMs, random }) => ({ ...row, secrets: rotatedBadly(row, baseTimeMs, random) }),
  (row) => ({ ...row, url: 'https://169.254.169.254/latest/meta-data' }),
  (row, neighbour) => ({ ...row, secrets: withValueOf(row, neighbour) }),
  (row) => ({ ...row, rate_limit_duration: 0 }),
  (row) => ({ ...row, status: 'inactive', failure_rate: 83.33333333333334, cb_state: 'open' }),
  (row) => ({ ...row, http_timeout: 120 }),
  (row) => ({ ...row, secrets: (row.secrets ?? []).map((secret) => ({ ...secret, value: 'changeme' })) }),
  (row) => ({ ...row, status: 'paused' }),
]

const subscriptionProblems: readonly PlantedProblem<SubscriptionRow>[] = [
  (row) => ({ ...row, retry_config: { type: 'linear', duration: 1, retry_count: 100 } }),
  (row) => ({ ...row, delivery_mode: 'at_most_once' }),
  (row) => ({ ...row, filter_config: { ...row.filter_config, event_types: ['*'] } }),
]

const sourceProblems: readonly PlantedProblem<SourceRow>[] = [
  (row) => ({ ...row, is_disabled: true }),
  (row) => ({ ...row, verifier: null }),
  (row) => ({
    ...row,
    verifier: {
      type: 'hmac',
      hmac: { header: 'X-Signature', hash: 'MD5', secret: 'changeme', encoding: 'hex' },
      basic_auth: null,
      api_key: null,
    },
  }),
]

function plant<Row>(
  rows: readonly Row[],
  problems: readonly PlantedProblem<Row>[],
  context: PlantingContext,
): readonly Row[] {
  const planted = [...rows]
  const indexes = context.random.shuffled([...rows.keys()])
  const untouched = rows[indexes.at(-1) ?? 0]
  for (const [turn, problem] of problems.slice(0, Math.ceil(rows.length / 3)).entries()) {
    const index = indexes[turn] ?? 0
    const row = rows[index]
    if (row !== undefined && untouched !== undefined) planted[index] = problem(row, untouched, context)
  }
  return planted
}

/** The old secret expired ten days ago and still signs. */
function rotatedBadly(row: EndpointRow, baseTimeMs: number, random: Random): EndpointRow['secrets'] {
  const timeMs = baseTimeMs - 10 * 86_400_000
  const old = (row.secrets ?? []).map((secret) => ({ ...secret, expires_at: timestamp(timeMs, '77') }))
  return [...old, aSecret(timeMs - 86_400_000, random)]
}

function withValueOf(row: EndpointRow, neighbour: EndpointRow): EndpointRow['secrets'] {
  const value = neighbour.secrets?.[0]?.value ?? ''
  return (row.secrets ?? []).map((secret) => ({ ...secret, value }))
}
