import {
  type Field,
  incomingEndpoint,
  isAttribute,
  type Members,
  resourceFields,
  sentWhenEmpty,
} from '../gateway/fields.ts'
import { knowsProvider } from '../gateway/signatures.ts'
import { asSeconds } from '../inventory/scalars.ts'
import { isJsonObject, type Json, type JsonObject, mapMembers } from '../model/json.ts'
import { enveloped, panicked } from './answers.ts'
import { type Behaviour, releases, type SimulatedRelease } from './behaviour.ts'
import {
  changeData,
  changeEndpoint,
  createEndpoint,
  createSource,
  createSubscription,
  presentOf,
  setEndpointStatus,
  updateSubscription,
} from './edits.ts'
import type { SimulatedAnswer } from './fault.ts'
import type { SimulatedFleet } from './fleet.ts'
import { renderEndpoint, renderSubscription } from './render.ts'
import {
  defaultRequestIdHeader,
  type EndpointRow,
  type ProjectConfigRow,
  type SourceRow,
  type SubscriptionRow,
} from './rows.ts'

/** A request that changes a project or a resource in it, so that a person can correct what an audit finds. */
export interface Write {
  readonly method: 'PUT' | 'POST'
  readonly name: 'write'
  readonly projectUid: string
  readonly kind: WritableKind
  /** null: the request creates one. */
  readonly uid: string | null
  readonly action: 'pause' | 'activate' | null
}

/** `rest`: the path below the project; undefined for the project itself. */
export function writeAt(
  method: string,
  projectUid: string,
  rest: string | undefined,
  release: SimulatedRelease,
): Write | undefined {
  const write = { name: 'write', projectUid, uid: null, action: null } as const
  if (rest === undefined) return method === 'PUT' ? { ...write, method, kind: 'project' } : undefined
  const [, list, uid = null, action = null] =
    /^(endpoint|subscription|source)s(?:\/([^/]+))?(?:\/(pause|activate))?$/.exec(rest) ?? []
  const kind = (['endpoint', 'subscription', 'source'] as const).find((name) => name === list)
  if (kind === undefined || uid === 'test_function') return undefined
  if (action === 'activate' && !releases[release].hasActivate) return undefined
  if (action === 'pause' || action === 'activate') {
    const of = action === 'pause' ? 'PUT' : 'POST'
    return kind === 'endpoint' && uid !== null && method === of
      ? { ...write, method: of, kind, uid, action }
      : undefined
  }
  if (uid === null) return method === 'POST' ? { ...write, method, kind } : undefined
  return method === 'PUT' ? { ...write, method, kind, uid } : undefined
}

/** A setting of projects in v26.7.0; the later release refuses a body with it. */
const oldName = 'sync_dynamic_event_ack'

/** What a body omits is wiped, as by the real service. Only the types of what each kind needs are checked. */
export function performWrite(
  fleet: SimulatedFleet,
  write: Write,
  body: string,
  { release, isForgetful, hasLicence }: Pick<Behaviour, 'release' | 'isForgetful' | 'hasLicence'>,
): SimulatedAnswer {
  const { projectUid: project, kind, uid, action } = write
  const refuse = (message: string, status = 400) => enveloped(release, status, message)
  const { endpoints, subscriptions, sources } = fleet.open(project)
  const rows = { endpoint: endpoints, subscription: subscriptions, source: sources, project: [] }[kind]
  if (uid !== null && !rows.some((row) => row.uid === uid)) return refuse(`${kind} not found`)
  if (action !== null) return act(action)
  const given = read(body)
  const needed = { endpoint: ['name', 'url'], source: ['name', 'type'], subscription: [], project: ['name'] }[kind]
  if (given === undefined || needed.some((name) => typeof given[name] !== 'string'))
    return refuse('Invalid request body')
  const isPatched = release === 'later' && !isForgetful
  if (kind === 'project' && isJsonObject(given.config) && !isPatched) {
    if (!isJsonObject(given.config.strategy)) return refuse('null value in column "strategy_type"')
    if (isNothing(given.config.signature ?? null)) return panicked(release)
  }
  const { type: authentication } = objectIn(given.authentication)
  if (kind === 'endpoint' && !hasLicence && (authentication === 'basic_auth' || authentication === 'oauth2'))
    return refuse('feature unavailable, please upgrade your license')
  if (kind === 'project' && release === 'later' && isJsonObject(given.config) && oldName in given.config)
    return refuse(`${oldName} has been renamed to verify_dynamic_events`)
  const { config, type } = fleet.project(project) ?? {}
  const isIncoming = type === 'incoming'
  if (kind === 'endpoint' && config?.ssl.enforce_secure_endpoints && /^http:/i.test(String(given.url)))
    return refuse('only https endpoints allowed')
  const isNewSubscription = kind === 'subscription' && uid === null
  const fault = isNewSubscription ? subscriptionFault(given) : kind === 'source' ? sourceFault(given) : undefined
  if (fault !== undefined) return refuse(fault)
  if (kind === 'source' && given.type === 'pub_sub' && !isJsonObject(given.pub_sub)) return panicked(release)
  // A source that was created without a verifier has no row for one: the update finds nothing to change.
  const isOpen = kind === 'source' && sources.some((row) => row.uid === uid && row.verifier === null)
  if (isOpen && isVerifier(given.verifier)) return panicked(release)
  const target = { project, uid: kind === 'project' ? project : (uid ?? create(given)) }
  apply(target, given)
  const named = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`
  const rendered = show(target.uid)
  return write.method === 'POST'
    ? enveloped(release, 201, `${named} created successfully`, rendered)
    : enveloped(release, 202, `${named} updated successfully`, rendered)

  function activateAll(): void {
    const woken = (row: EndpointRow) => (row.status === 'inactive' ? { ...row, status: 'active' } : row)
    changeData(fleet, project, (data) => ({ ...data, endpoints: data.endpoints.map(woken) }))
  }

  function show(uid: string): JsonObject {
    const { endpoints, subscriptions: after, sources } = fleet.open(project)
    const endpoint = endpoints.find((row) => row.uid === uid)
    if (kind === 'endpoint' && endpoint !== undefined) return renderEndpoint(endpoint, release)
    const before = subscriptions.find((row) => row.uid === uid)
    const row = after.find((row) => row.uid === uid)
    if (kind !== 'subscription' || before === undefined || row === undefined) return { uid }
    // The answer to an update still has the former time.
    const referred = {
      endpoint: endpoints.find((each) => each.uid === row.endpoint_id),
      source: sources.find((each) => each.uid === row.source_id),
      ingestUrl: fleet.ingestUrl,
    }
    return renderSubscription({ ...row, updated_at: before.updated_at }, referred, release)
  }

  function act(action: 'pause' | 'activate'): SimulatedAnswer {
    const { status } = endpoints.find((row) => row.uid === uid) ?? { status: '' }
    const next =
      action === 'pause' ? switched[status] : status === 'inactive' || status === 'paused' ? 'active' : undefined
    if (next === undefined) return refuse(`current endpoint status - ${status}, does not support it`)
    setEndpointStatus(fleet, { project, uid: uid ?? '' }, next)
    return enveloped(release, 202, 'endpoint status successfully updated', null)
  }

  /** Why the service creates no such subscription. */
  function subscriptionFault({ endpoint_id: endpoint, source_id: source }: JsonObject): string | undefined {
    if (!endpoints.some((row) => row.uid === endpoint)) return 'failed to find endpoint by id'
    if (isIncoming) {
      return sources.some((row) => row.uid === source) ? undefined : 'failed to find source by id'
    }
    const isTaken = subscriptions.some((row) => row.endpoint_id === endpoint)
    return isTaken && config?.multiple_endpoint_subscriptions === false
      ? 'a subscription for this endpoint already exists'
      : undefined
  }

  /** Why the service takes no such source. An update does not ask about the provider. */
  function sourceFault({ provider, verifier, idempotency_keys: keys }: JsonObject): string | undefined {
    const { type, hmac, ...others } = objectIn(verifier)
    if (uid === null && knowsProvider(String(provider)) && isNothing(objectIn(hmac).secret ?? ''))
      return `hmac secret is required for ${provider} source`
    const isBare = ['hmac', 'basic_auth', 'api_key'].some(
      (one) => one === type && !isJsonObject({ hmac, ...others }[one]),
    )
    if (isBare) return `invalid verifier config for ${String(type).replace('_', ' ')}`
    const form = /^req(?:uest)?\.(?:[Hh]eader|[Bb]ody|query|QueryParam)\./
    const wrong = Array.isArray(keys) ? keys.find((key) => !form.test(String(key))) : undefined
    return wrong && `unsupported input format for idempotency key location with value: ${wrong}`
  }

  function create(given: JsonObject): string {
    const text = (name: string) => (typeof given[name] === 'string' ? given[name] : '')
    if (kind === 'source') return createSource(fleet, project, { provider: text('provider') })
    if (kind === 'subscription')
      return createSubscription(fleet, project, { endpoint: text('endpoint_id'), source: text('source_id') })
    const created = createEndpoint(fleet, project, { name: text('name'), url: text('url') })
    if (text('secret') !== '') {
      changeEndpoint(fleet, { project, uid: created }, (row) => ({
        ...row,
        secrets: (row.secrets ?? []).map((secret) => ({ ...secret, value: text('secret') })),
      }))
    }
    return created
  }

  function apply(resource: { readonly project: string; readonly uid: string }, given: JsonObject): void {
    const fields = kind === 'endpoint' && isIncoming ? incomingEndpoint : resourceFields[kind]
    const mode = { isForgetful, isNew: uid === null && kind !== 'project' }
    const taken = (row: object) => takeMembers({ ...row }, given, fields, taking[kind], mode)
    /** Without a licence, the service says that it updated these, and leaves them as they were. */
    const licensed = (members: JsonObject): JsonObject => {
      if (hasLicence) return members
      const remaining = Object.entries(members).filter(([name]) => !licensedMembers[kind].includes(name))
      return { ...Object.fromEntries(remaining), ...(kind === 'endpoint' && { http_timeout: 10 }) }
    }
    // as: the types of all but a few members are as the person wrote them, and the audit finds what is wrong.
    const changed = <Row extends { readonly uid: string }>(rows: readonly Row[]) =>
      rows.map((row) => (row.uid === resource.uid ? ({ ...row, ...licensed(taken(row)), ...touched } as Row) : row))
    if (kind === 'project') {
      const row = fleet.project(project)
      const { name, config } = taken(row ?? {})
      const patch = isPatched
        ? { ...row?.config, ...withZeros(given.config), ...unwrittenOf({ ...row?.config }) }
        : config
      const whole = patch as unknown as ProjectConfigRow
      const { at: updated_at } = presentOf(fleet)
      if (row !== undefined)
        fleet.replace(project, { project: { ...row, name: String(name), config: whole, updated_at } })
      if (!whole.disable_endpoint) activateAll()
      return
    }
    if (kind === 'subscription' && uid !== null) {
      const row = subscriptions.find((each) => each.uid === uid)
      updateSubscription(fleet, resource, licensed(taken(row ?? {})))
      return
    }
    const touched = uid === null ? {} : { updated_at: presentOf(fleet).at }
    changeData(fleet, project, (data) => ({
      endpoints: kind === 'endpoint' ? changed<EndpointRow>(data.endpoints) : data.endpoints,
      subscriptions: kind === 'subscription' ? changed<SubscriptionRow>(data.subscriptions) : data.subscriptions,
      sources: kind === 'source' ? changed<SourceRow>(data.sources) : data.sources,
    }))
  }
}

const licensedMembers: Readonly<Record<WritableKind, readonly string[]>> = {
  endpoint: ['support_email', 'slack_webhook_url', 'teams_webhook_url'],
  subscription: ['function', 'filter_config'],
  source: [],
  project: [],
}

const switched: Readonly<Record<string, string>> = { active: 'paused', paused: 'active' }

function read(body: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(body)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** What the service does with a member of a request besides what the wire schema says of its field. */
interface Taken {
  /** What a row has where there is nothing; default: what a request sends for it. */
  readonly empty?: Json
  /** Kept if the body omits it. */
  readonly isKept?: true
  /** From the form of a request to that of a row. */
  readonly read?: (given: Json, row: Json) => Json
}

/** The members of a row that the body of an update decides, each with its new value. What it omits is wiped or kept. */
function takeMembers(
  row: JsonObject,
  body: JsonObject,
  fields: Members,
  special: Readonly<Record<string, Taken>>,
  { isForgetful, isNew }: { readonly isForgetful: boolean; readonly isNew: boolean },
): JsonObject {
  const members = Object.entries<Field>(fields).flatMap(([attribute, field]): [string, Json][] => {
    const { unwritten, onlyCreate, onlyUpdate, to: [name = attribute] = [], keeps } = field
    if (!isAttribute(field) || unwritten !== undefined || onlyCreate || (onlyUpdate && isNew)) return []
    const { empty = sentWhenEmpty(field), isKept = keeps !== undefined, read } = special[name] ?? {}
    // null is as good as left out.
    const given = body[name] ?? undefined
    const old = row[name] ?? empty
    if (given === undefined) return [[name, !isKept || isForgetful ? empty : old]]
    if (keeps === 'empty' && isNothing(given)) return [[name, old]]
    return [[name, read === undefined ? given : read(given, old)]]
  })
  return Object.fromEntries(members)
}

const noFilter = { is_flattened: false, headers: {}, body: {} }

const json = 'application/json'

const taking = {
  endpoint: {
    content_type: { empty: json, read: (given) => (isNothing(given) ? json : given) },
    http_timeout: { empty: 10 },
    mtls_client_cert: { empty: null, read: readCertificate },
  },
  subscription: {
    function: { empty: null },
    endpoint_id: { empty: null },
    source_id: { empty: null },
    alert_config: { read: merged },
    rate_limit_config: { read: merged },
    retry_config: { read: (given, row) => merged(withSeconds(given), row) },
    filter_config: { isKept: true, empty: { event_types: ['*'], filter: noFilter }, read: readFilterConfig },
  },
  source: {
    // No update turns verification off, and of a verifier the service stores what its type asks for.
    verifier: { empty: null, read: (given, row) => (isVerifier(given) ? verifierOf(objectIn(given)) : row) },
    custom_response: { read: (given, row) => ({ ...objectIn(row), ...objectIn(given) }) },
    body_function: { empty: null },
    header_function: { empty: null },
    pub_sub: { read: readPublishSubscribe },
  },
  project: {
    config: { read: (given, row) => ({ ...emptyConfig, ...withZeros(given), ...unwrittenOf(objectIn(row)) }) },
  },
} satisfies Record<string, Readonly<Record<string, Taken>>>

type WritableKind = keyof typeof taking

const noVerifier = { type: 'noop', hmac: null, basic_auth: null, api_key: null }

/** The configuration of a project is replaced whole. Without a circuit breaker, the service has its own. */
const { circuit_breaker: _, ...settings } = resourceFields.project.config.members
const emptyConfig: JsonObject = { ...zeroOf(settings), request_id_header: defaultRequestIdHeader }

function zeroOf(members: Members): JsonObject {
  const zeros = Object.entries(members).map(([name, field]) => {
    const isWhole = field.type === 'struct' && field.collapse !== true
    return [name, isWhole ? zeroOf(field.members) : sentWhenEmpty(field)]
  })
  return Object.fromEntries(zeros)
}

/** What a request says of settings that consist of several, with all members of each. */
function withZeros(config: Json | undefined): JsonObject {
  return mapMembers(objectIn(config), (name, value) => {
    const zeros = emptyConfig[name]
    return isJsonObject(zeros) && isJsonObject(value) ? { ...zeros, ...value } : value
  })
}

/** Settings that no request writes, sent or not. */
function unwrittenOf(config: JsonObject): JsonObject {
  const members: Members = resourceFields.project.config.members
  return Object.fromEntries(Object.entries(config).filter(([name]) => members[name]?.unwritten !== undefined))
}

function verifierOf({ type = '', ...given }: JsonObject): JsonObject {
  const member = String(type)
  return { ...noVerifier, type, [member]: given[member] ?? null }
}

function isVerifier(given: Json | undefined): boolean {
  const { type = 'noop' } = objectIn(given)
  return type !== 'noop' && type !== ''
}

/** Two empty members remove the certificate. */
function readCertificate(given: Json): Json {
  return isNothing(objectIn(given).client_key ?? null) ? null : given
}

/** A member that is sent empty keeps its value. */
function merged(given: Json, row: Json): Json {
  const members = Object.entries(objectIn(given)).filter(([, member]) => !isNothing(member))
  return { ...objectIn(row), ...Object.fromEntries(members) }
}

/** A request has a Go duration where the list has seconds. */
function withSeconds(given: Json): Json {
  const { duration = '', ...others } = objectIn(given)
  return { ...others, duration: typeof duration === 'string' ? asSeconds(duration) : duration }
}

function readFilterConfig(given: Json, row: Json): Json {
  const { event_types = [], filter } = objectIn(given)
  return {
    event_types: isNothing(event_types) ? (objectIn(row).event_types ?? []) : event_types,
    filter: { ...noFilter, ...objectIn(filter) },
  }
}

/** A request nests what the list shows flat. */
function readPublishSubscribe(given: Json): Json {
  const { amqp, sqs, ...rest } = objectIn(given)
  // No request sets the address of the queue.
  const others = { ...rest, ...(sqs !== undefined && { sqs: isJsonObject(sqs) ? { ...sqs, endpoint: '' } : sqs }) }
  if (!isJsonObject(amqp)) return { ...others, ...(amqp !== undefined && { amqp }) }
  const { bindExchange, ...settings } = amqp
  const { exchange = null, routingKey = '' } = objectIn(bindExchange)
  return { ...others, amqp: { ...settings, bindedExchange: exchange, routingKey } }
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function isNothing(value: Json): boolean {
  if (value === null || value === '' || value === 0) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
