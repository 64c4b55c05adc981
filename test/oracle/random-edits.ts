import {
  changeData,
  changeEndpoint,
  createEndpoint,
  createSubscription,
  deleteEndpoint,
  deleteSource,
  deleteSubscription,
  replaceSecret,
  rotateSecret,
  updateEndpoint,
  updateProject,
  updateSource,
  updateSubscription,
} from '../../src/demo/edits.ts'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import type { Random } from '../../src/demo/random.ts'
import type {
  EndpointRow,
  ProjectConfigRow,
  ProjectRow,
  SecretRow,
  SourceRow,
  SubscriptionRow,
  VerifierRow,
} from '../../src/demo/rows.ts'
import type { Json, JsonObject } from '../../src/model/json.ts'

/** Something happens to a random resource of a random project, mostly something that a rule minds. */
export function editAtRandom(fleet: SimulatedFleet, random: Random): void {
  const project = pickOf(random, fleet.projects())
  if (project === undefined) return
  random.pick([editEndpoint, editEndpoint, editEndpoint, editSubscription, editSubscription, editSource, editProject])({
    fleet,
    random,
    project,
  })
}

interface FleetFixture {
  readonly fleet: SimulatedFleet
  readonly random: Random
  readonly project: ProjectRow
}

function editEndpoint({ fleet, random, project }: FleetFixture): void {
  const rows = fleet.open(project.uid).endpoints
  const row = pickOf(random, rows)
  const dice = random.below(20)
  if (row === undefined || dice === 0) {
    const name = `new-${random.hex(4)}`
    const uid = createEndpoint(fleet, project.uid, { name, url: urlOf(random, rows), owner_id: ownerOf(random) })
    if (random.chance(0.7)) createSubscription(fleet, project.uid, { endpoint: uid })
    return
  }
  const place = { project: project.uid, uid: row.uid }
  if (dice === 1) deleteEndpoint(fleet, place)
  else if (dice === 2) rotateSecret(fleet, place)
  else if (dice === 3) replaceSecret(fleet, place, random.pick([undefined, 'letmein', 'not-a-real-key-shared-by-some']))
  else if (dice === 4) updateEndpoint(fleet, place, { name: row.name, url: row.url })
  else if (dice === 5)
    updateEndpoint(fleet, place, { name: renamed(row.name, '-v2'), url: row.url, description: row.description })
  else if (dice === 6) deleteMany(fleet, project, random)
  else changeEndpoint(fleet, place, (known) => ({ ...known, ...wildEndpoint(known, rows, random) }))
}

function wildEndpoint(row: EndpointRow, rows: readonly EndpointRow[], random: Random): Partial<EndpointRow> {
  const other = pickOf(random, rows) ?? row
  const changes: [() => Partial<EndpointRow>, ...(() => Partial<EndpointRow>)[]] = [
    () => ({ url: urlOf(random, rows) }),
    () => ({ url: urlOf(random, rows) }),
    () => ({ url: row.url.replace(/^https?:/, random.pick(['http:', 'https:'])) }),
    () => ({ status: random.pick(['active', 'inactive', 'paused', 'pending']) }),
    () => ({ status: random.pick(['active', 'paused']) }),
    () => ({ http_timeout: random.pick([0, 1, 4, 5, 60, 61, 600]) }),
    () => ({ rate_limit: random.pick([0, 1, 100]), rate_limit_duration: random.pick([0, 60, 3600]) }),
    () => ({ secrets: secretsOf(row, other, random) }),
    () => ({ secrets: secretsOf(row, other, random) }),
    () => ({ advanced_signatures: random.chance(0.5) }),
    () => ({ support_email: random.pick(['', 'ops@tenant.example.com']) }),
    () => ({ slack_webhook_url: random.pick(['', `https://hooks.slack.com/services/T0/${random.hex(8)}`]) }),
    () => ({ teams_webhook_url: random.pick(['', `https://acme.webhook.office.com/w/${random.hex(8)}`]) }),
    // Into the filters of some runs and out of them.
    () => ({ owner_id: ownerOf(random) }),
    () => ({ owner_id: ownerOf(random) }),
    () => ({ owner_id: ownerOf(random) }),
    () => ({ authentication: authenticationOf(other, random) }),
    () => ({ authentication: authenticationOf(other, random) }),
    () => ({ failure_rate: random.pick([null, 0, 20, 20.5, 50, 51]), cb_state: random.pick([null, 'open', 'closed']) }),
    () => ({ description: random.pick(['', 'another text', '<b>&amp;</b>', 'naïve – "quoted"']) }),
    () => ({ content_type: random.pick(['application/json', 'application/x-www-form-urlencoded']) }),
    () => ({
      mtls_client_cert: random.pick([null, { client_cert: 'not-a-certificate', client_key: 'not-a-real-key' }]),
    }),
  ]
  return random.pick(changes)()
}

function secretsOf(row: EndpointRow, other: EndpointRow, random: Random): readonly SecretRow[] | null {
  const [first] = row.secrets ?? []
  if (first === undefined) return other.secrets
  const copies = (count: number) =>
    Array.from({ length: count }, (_, index): SecretRow => ({ ...first, uid: `${first.uid.slice(0, 24)}${index}X` }))
  const changes: [() => readonly SecretRow[] | null, ...(() => readonly SecretRow[] | null)[]] = [
    () => [],
    () => null,
    () => [{ ...first, value: other.secrets?.[0]?.value ?? 'changeme' }],
    () => [{ ...first, value: 'not-a-real-key-shared-by-some' }],
    () => [{ ...first, expires_at: timeOf(random) }],
    () => copies(3),
    () => copies(2).map((secret) => ({ ...secret, expires_at: random.chance(0.5) ? timeOf(random) : null })),
    () => [{ ...first, created_at: random.pick(['2025-01-01T00:00:00Z', '0001-01-01T00:00:00Z']) }],
    () => [{ ...first, deleted_at: '2026-11-02T00:00:00Z' }],
    () => [{ ...first, created_at: '2025-02-03T04:05:06.5+02:00' }],
  ]
  return random.pick(changes)()
}

/** Around the days of the runs. */
function timeOf(random: Random): string {
  return random.pick([
    '2026-10-01T00:00:00Z',
    '2026-11-13T23:00:00.5Z',
    '2026-11-14T05:00:00+01:00',
    '2026-11-20T00:00:00Z',
    '2026-11-21T12:00:00Z',
    '2026-11-23T00:00:00.123456789Z',
    '2026-11-28T00:00:00-05:00',
    '2027-11-01T00:00:00Z',
  ])
}

function authenticationOf(other: EndpointRow, random: Random): EndpointRow['authentication'] {
  const changes: [() => EndpointRow['authentication'], ...(() => EndpointRow['authentication'])[]] = [
    () => null,
    () => other.authentication,
    () => ({ type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value: 'not-a-real-key-shared-by-some' } }),
    () => ({ type: 'api_key', api_key: { header_name: '', header_value: '' } }),
    () => ({ type: 'basic_auth', basic_auth: { username: 'admin', password: 'not-a-real-key' } }),
    () => ({
      type: 'oauth2',
      oauth2: {
        url: 'https://idp.tenant.example.com/token',
        client_id: 'a',
        authentication_type: '',
        client_secret: `not-a-real-key-${random.hex(20)}`,
      },
    }),
  ]
  return random.pick(changes)()
}

function urlOf(random: Random, rows: readonly EndpointRow[]): string {
  const url = pickOf(random, rows)?.url ?? 'https://hooks.tenant-01.example.com/in'
  return random.pick([
    url,
    url.replace('https://hooks', 'HTTPS://HOOKS'),
    url.replace('.example.com/', '.example.com:443/'),
    'http://hooks.receiver.acme.dev/in',
    'https://hooks.receiver.acme.dev:9443/in',
    'https://hooks.receiver.acme.dev:8443/in',
    'http://127.0.0.1:8080/in',
    'https://localhost/in',
    'https://10.1.2.3/in',
    'https://192.168.0.9:443/in',
    'https://169.254.169.254/latest',
    'http://metadata.google.internal/x',
    'https://100.100.100.200/latest',
    'https://100.64.0.1/in',
    'https://8.8.8.8/in',
    'http://[::1]/in',
    'https://[fd00::1]/in',
    'https://[2001:4860:4860::8888]/in',
    'https://billing/in',
    'https://printer.local/in',
    'https://gateway.corp.internal/in',
    'https://user:not-a-real-key@hooks.receiver.acme.dev/in',
    'https://hooks.receiver.acme.dev/in?token=not-a-real-key&a=1',
    'https://hooks.receiver.acme.dev/in?page=2',
    'https://webhook.site/in',
    'https://hooks.receiver.test/in',
  ])
}

function ownerOf(random: Random): string {
  return random.pick(['', 'tenant-01', 'tenant-02', 'tenant-03'])
}

/** So many at once that no run should accept it. */
function deleteMany(fleet: SimulatedFleet, project: ProjectRow, random: Random): void {
  const { endpoints } = fleet.open(project.uid)
  for (const { uid } of endpoints.slice(0, Math.floor(endpoints.length * random.pick([0.3, 0.5, 1])))) {
    deleteEndpoint(fleet, { project: project.uid, uid })
  }
}

function editSubscription({ fleet, random, project }: FleetFixture): void {
  const { subscriptions, endpoints, sources } = fleet.open(project.uid)
  const endpoint = pickOf(random, endpoints)
  const row = pickOf(random, subscriptions)
  const dice = random.below(12)
  if (row === undefined || dice === 0) {
    if (endpoint === undefined) return
    const source = pickOf(random, sources)
    createSubscription(fleet, project.uid, {
      endpoint: endpoint.uid,
      ...(source && random.chance(0.8) && { source: source.uid }),
    })
    return
  }
  const place = { project: project.uid, uid: row.uid }
  if (dice === 1) deleteSubscription(fleet, place)
  else updateSubscription(fleet, place, wildSubscription(row, { endpoint, source: pickOf(random, sources) }, random))
}

function wildSubscription(
  row: SubscriptionRow,
  { endpoint, source }: { readonly endpoint: EndpointRow | undefined; readonly source: SourceRow | undefined },
  random: Random,
): Partial<SubscriptionRow> {
  const { filter_config } = row
  const types = (event_types: readonly string[]) => ({ filter_config: { ...filter_config, event_types } })
  const filter = (part: 'body' | 'headers', content: SubscriptionRow['filter_config']['filter']['body']) => ({
    filter_config: { ...filter_config, filter: { ...filter_config.filter, [part]: content } },
  })
  const changes: [() => Partial<SubscriptionRow>, ...(() => Partial<SubscriptionRow>)[]] = [
    () =>
      types(random.pick([['*'], [], ['*', 'order.created'], ['order.created'], ['order.updated', 'order.created']])),
    () => types(random.pick([['order.created ', 'x'], ['Order.Created', 'order.created'], [''], ['a', 'b', 'a']])),
    () => types([...filter_config.event_types].reverse()),
    () => types([...filter_config.event_types, `extra.${random.below(3)}`]),
    () => filter('body', random.pick<JsonObject>([{}, { amount: { $gt: 10 } }, { amount: { $gt: 5 }, state: 'paid' }])),
    () => filter('body', { account_id: random.pick(accounts), $or: [{ limit: random.pick(accounts) }] }),
    () => filter('body', { account_id: random.pick(accounts) }),
    () => filter('headers', random.pick<JsonObject>([{}, { 'x-region': { $in: ['eu', 'us'] } }])),
    () => ({ retry_config: retryOf(random) }),
    () => ({ retry_config: retryOf(random) }),
    () => ({ rate_limit_config: random.pick([null, { count: 0, duration: 60 }, { count: 5000, duration: 60 }]) }),
    () => ({ alert_config: random.pick([null, { count: 0, threshold: '1h' }, { count: 4, threshold: '1 hour' }]) }),
    () => ({ delivery_mode: random.pick(['at_most_once', 'at_least_once']) }),
    () => ({ type: random.pick(['api', 'cli']) }),
    () => ({ endpoint_id: random.pick([null, 'no-such-endpoint', endpoint?.uid ?? null]) }),
    () => ({ endpoint_id: endpoint?.uid ?? null }),
    () => ({ source_id: random.pick([null, source?.uid ?? null]) }),
    () => ({ function: random.pick([null, '', 'function transform(payload) { return payload }']) }),
    () => ({ name: renamed(row.name, '-x') }),
    () => ({ name: random.pick(['to-accounts', 'to-billing', 'to-partners']) }),
  ]
  return random.pick(changes)()
}

function retryOf(random: Random): SubscriptionRow['retry_config'] {
  if (random.chance(0.2)) return null
  const type = random.pick(['linear', 'exponential'])
  return { type, duration: random.pick([0, 1, 10, 60, 600]), retry_count: random.pick([0, 1, 2, 3, 8, 11, 15, 60]) }
}

function editSource({ fleet, random, project }: FleetFixture): void {
  const row = pickOf(random, fleet.open(project.uid).sources)
  if (row === undefined) return
  const place = { project: project.uid, uid: row.uid }
  const dice = random.below(12)
  if (dice === 0) deleteSource(fleet, place)
  else if (dice === 1) unsubscribe(fleet, project, row)
  else updateSource(fleet, place, wildSource(row, fleet, random))
}

/** The source stays, and nothing refers to it. */
function unsubscribe(fleet: SimulatedFleet, project: ProjectRow, source: SourceRow): void {
  changeData(fleet, project.uid, (data) => ({
    ...data,
    subscriptions: data.subscriptions.filter(({ source_id }) => source_id !== source.uid),
  }))
}

function wildSource(row: SourceRow, fleet: SimulatedFleet, random: Random): Partial<SourceRow> {
  const none = { hmac: null, basic_auth: null, api_key: null }
  const hmac = (hash: string, secret: string, header = 'X-Signature'): VerifierRow => ({
    ...none,
    type: 'hmac',
    hmac: { header, hash, secret, encoding: 'hex' },
  })
  const elsewhere = pickOf(
    random,
    fleet.projects().flatMap(({ uid }) => fleet.open(uid).endpoints),
  )
  const secret = elsewhere?.secrets?.[0]?.value ?? 'not-a-real-key-shared-by-some'
  const changes: [() => Partial<SourceRow>, ...(() => Partial<SourceRow>)[]] = [
    () => ({ is_disabled: random.chance(0.5) }),
    () => ({ is_disabled: random.chance(0.5) }),
    () => ({ verifier: random.pick([null, { ...none, type: 'noop' }]) }),
    () => ({
      verifier: hmac(random.pick(['MD5', 'SHA1', 'SHA224', 'SHA256', 'SHA512']), `not-a-real-key-${random.hex(9)}`),
    }),
    () => ({ verifier: hmac('SHA256', random.pick([secret, 'not-a-real-key-shared-by-some'])) }),
    () => ({ verifier: hmac('SHA256', '') }),
    () => ({ verifier: hmac('SHA256', 'not-a-real-key-for-headers', '') }),
    () => ({
      verifier: {
        ...none,
        type: 'basic_auth',
        basic_auth: { username: 'intake', password: 'not-a-real-key-for-intake' },
      },
    }),
    () => ({ verifier: { ...none, type: 'api_key', api_key: { header_name: 'X-Key', header_value: secret } } }),
    () => ({ url: random.pick(['http://hooks.example.com/ingest/a', 'localhost:5005/ingest/a', row.url]) }),
    () => ({ idempotency_keys: random.pick([null, [], ['request.Body.id'], ['b', 'a']]) }),
    () => ({ forward_headers: random.pick([null, [], ['X-B', 'X-A'], ['X-A', 'X-B']]) }),
    () => ({ body_function: random.pick([null, '', 'function transform(payload) { return { a: payload } }']) }),
    () => ({ provider: random.pick(['', 'github']) }),
    () => ({ name: renamed(row.name, '-x') }),
    () => ({ type: random.pick(['http', 'pub_sub']) }),
    () => ({
      pub_sub: random.pick([
        null,
        {
          type: 'amqp',
          workers: 1,
          amqp: { ...amqp, schema: 'amqps', queue: 'in', deadLetterExchange: null },
        },
        { type: 'amqp', workers: 1, amqp: { ...amqp, deadLetterExchange: 'dead' } },
      ]),
    }),
  ]
  return random.pick(changes)()
}

function editProject({ fleet, random, project }: FleetFixture): void {
  const { config } = project
  const type = random.pick(['linear', 'exponential'])
  updateProject(
    fleet,
    project.uid,
    random.pick<Partial<ProjectConfigRow>>([
      { ssl: { enforce_secure_endpoints: random.chance(0.5) } },
      { replay_attacks_prevention_enabled: random.chance(0.5) },
      { disable_endpoint: random.chance(0.5) },
      { ratelimit: { count: random.pick([0, 10, 1000]), duration: random.pick([0, 60]) } },
      { strategy: { type, duration: random.pick([1, 10, 100]), retry_count: random.pick([0, 2, 5, 6, 10, 51]) } },
      {
        signature: {
          ...config.signature,
          versions: config.signature.versions.map((version) => ({
            ...version,
            hash: random.pick(['MD5', 'SHA1', 'SHA256', 'SHA512']),
          })),
        },
      },
      {
        meta_event: {
          ...config.meta_event,
          is_enabled: random.chance(0.7),
          type: random.pick(['', 'http']),
          url: random.pick(['', 'http://meta.acme.dev/in', 'https://meta.acme.dev/in']),
          secret: random.pick(['', 'not-a-real-key-for-meta']),
        },
      },
    ]),
  )
}

function pickOf<Row>(random: Random, rows: readonly Row[]): Row | undefined {
  return rows[random.below(rows.length)]
}

/** Numbers as they are in an answer: some that exceed a double, next to texts of the same digits. */
const accounts: readonly [Json, ...Json[]] = [
  asWritten('1234567890123456789'),
  asWritten('1234567890123456788'),
  '1234567890123456789',
  asWritten('1e400'),
  asWritten('0.12345678901234567890'),
  asWritten('100.0'),
  100,
]

function asWritten(source: string): Json {
  // What JSON.stringify writes as it is; the types of the language do not know it yet.
  return Reflect.apply(Reflect.get(JSON, 'rawJSON'), JSON, [source])
}

/** With an ending, and without it the next time: a name that only grows looks random in the end. */
function renamed(name: string, ending: string): string {
  return name.endsWith(ending) ? name.slice(0, -ending.length) : `${name}${ending}`
}

/** All that the service shows of a broker: what is missing there would be unknown. */
const amqp = {
  host: 'queue.acme.dev',
  port: '5671',
  schema: 'amqp',
  vhost: null,
  queue: 'events',
  bindedExchange: null,
  routingKey: '',
  deadLetterExchange: null,
  auth: null,
}
