import { Worker } from 'node:worker_threads'
import { licensedFeatures } from '../gateway/licence.ts'
import { routes } from '../gateway/routes.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import { programFile } from '../model/package-files.ts'
import {
  type answerList,
  dashboard,
  enveloped,
  type List,
  limited,
  methodNotAllowed,
  notFound,
  panicked,
  unreadable,
  unsupportedType,
} from './answers.ts'
import { type Behaviour, releases, type SimulatedRelease } from './behaviour.ts'
import { type Deletion, deletionAt, performDeletion } from './delete-request.ts'
import type { DeliveryWorker } from './deliver.ts'
import { countPathOf, type DeliveryRequest, deliveryRequestAt, performDeliveryRequest } from './delivery-requests.ts'
import { catalogueOf, renderEventType } from './edits.ts'
import type { SimulatedAnswer } from './fault.ts'
import { type FilterRequest, filterRequestAt, performFilterRequest } from './filter-request.ts'
import type { SimulatedFleet } from './fleet.ts'
import type { FunctionCall, TransformResult } from './function-worker.ts'
import { ingest } from './ingest.ts'
import { readPageQuery } from './page.ts'
import { defaultRequestIdHeader, type ProjectRow } from './rows.ts'
import { performWrite, type Write, writeAt } from './write-request.ts'

export interface DemoRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface RouteContext {
  readonly fleet: SimulatedFleet
  readonly behaviour: Behaviour
  /** Takes one token from the bucket: 0, or the seconds to wait if it is empty. */
  readonly takeToken: () => number
  readonly nowMs: () => number
  readonly answerList: typeof answerList
  readonly worker: DeliveryWorker
}

/** The service's answer, without faults. */
export async function route(incoming: DemoRequest, context: RouteContext): Promise<SimulatedAnswer> {
  const { behaviour } = context
  // By itself, a path with two slashes would name a host.
  const { path } = incoming
  const { pathname, searchParams } = new URL(path.startsWith('/') ? `http://service${path}` : path, 'http://service')
  if (pathname === '/healthz') return enveloped(behaviour.release, 200, releases[behaviour.release].health, null)
  if (pathname === routes.licence.path && incoming.method === 'GET') return licence(behaviour)
  const [, mask] = /^\/ingest\/([^/]+)$/.exec(pathname) ?? []
  if (mask !== undefined && incoming.method === 'POST') {
    const { fleet, worker, nowMs } = context
    const { release } = behaviour
    return ingest(mask, { ...incoming, parameters: searchParams }, { fleet, worker, release, nowMs: nowMs() })
  }
  const counted = countPathOf(pathname)
  if (!/^\/api(\/|$)/.test(counted)) return dashboard()
  const operation = operationAt(incoming.method, counted.replace(/\/$/, ''), behaviour)
  if (operation === undefined) return notFound()
  if (incoming.method !== operation.method) return methodNotAllowed()
  if (!takesType(incoming.headers['content-type'])) return unsupportedType()
  const wait = behaviour.outage === 'cache-down' ? 1 : context.takeToken()
  if (wait > 0) {
    const limit = behaviour.rateLimit?.limit ?? 60_000
    return limited(behaviour.release, { limit, waitSeconds: wait, nowMs: context.nowMs() })
  }
  const caller = callerOf(incoming.headers.authorization, context)
  if (typeof caller === 'string') return enveloped(behaviour.release, 401, caller)
  return await perform(operation, { caller, incoming, parameters: searchParams, context })
}

/** Of an instance without a licence, earlier releases name its limits alone. Asked without a key. */
function licence({ release, hasLicence }: Behaviour): SimulatedAnswer {
  const limits = { CREATE_ORG: { allowed: false }, CREATE_PROJECT: { allowed: true }, CREATE_USER: { allowed: false } }
  const features = Object.entries(licensedFeatures)
  const earlier = hasLicence ? features.map(([, name]) => [name, { allowed: true }] as const) : []
  const data =
    release === 'older'
      ? { ...limits, ...Object.fromEntries(earlier) }
      : Object.fromEntries(features.map(([name]) => [name, hasLicence]))
  return enveloped(release, 200, 'Retrieved license features successfully', data)
}

type Operation =
  | { readonly method: 'GET'; readonly name: 'list'; readonly list: List; readonly projectUid: string }
  | { readonly method: 'GET'; readonly name: 'project'; readonly projectUid: string }
  | { readonly method: 'GET'; readonly name: 'event-types'; readonly projectUid: string }
  | Write
  | FilterRequest
  | DeliveryRequest
  | Deletion
  | { readonly method: 'GET'; readonly name: 'projects' }
  | { readonly method: 'POST'; readonly name: 'test-function'; readonly projectUid: string }

function operationAt(method: string, path: string, { offers, release }: Behaviour): Operation | undefined {
  if (path === '/api/v1/projects') return offers.projects ? { method: 'GET', name: 'projects' } : undefined
  const [, projectUid, rest] = /^\/api\/v1\/projects\/([^/]+)(?:\/(.+))?$/.exec(path) ?? []
  if (projectUid === undefined) return undefined
  const write = writeAt(method, projectUid, rest, release) ?? deletionAt(method, projectUid, rest)
  if (write !== undefined) return write
  if (rest === undefined) return offers.project ? { method: 'GET', name: 'project', projectUid } : undefined
  const filters = filterRequestAt(method, projectUid, rest, release)
  if (filters !== undefined) return filters
  const deliveries = deliveryRequestAt(method, projectUid, rest)
  if (deliveries !== undefined) return deliveries
  if (rest === 'sources/test_function')
    return offers.testFunction ? { method: 'POST', name: 'test-function', projectUid } : undefined
  if (rest === 'endpoints' || rest === 'subscriptions') return { method: 'GET', name: 'list', list: rest, projectUid }
  if (rest === 'event-types') return offers.eventTypes ? { method: 'GET', name: rest, projectUid } : undefined
  if (rest === 'sources' && offers.sources) return { method: 'GET', name: 'list', list: rest, projectUid }
  return undefined
}

function takesType(type: string | undefined): boolean {
  return type === undefined || /^(application\/json|multipart\/form-data)\s*(;|$)/i.test(type)
}

/** The owner of a key: a person (null) or a project. A text is the reason why the key has none. */
type Caller = { readonly projectUid: string | null }

function callerOf(authorization: string | undefined, { fleet, behaviour }: RouteContext): Caller | string {
  const [scheme, key, ...more] = (authorization ?? '').split(' ')
  if (scheme !== 'Bearer' || !key || more.length > 0) return 'Authentication required'
  const refused = 'authorization failed'
  if (behaviour.outage === 'database-down' || behaviour.refusedKeys.has(key)) return refused
  if (key === fleet.personalKey) return { projectUid: null }
  const projectUid = ownerOf(key, fleet)
  return projectUid === undefined ? refused : { projectUid }
}

const owners = new WeakMap<SimulatedFleet, Map<string, string>>()

function ownerOf(key: string, fleet: SimulatedFleet): string | undefined {
  const ownerRows = owners.get(fleet) ?? new Map()
  owners.set(fleet, ownerRows)
  // Keys of projects that were deleted since stay known.
  if (!ownerRows.has(key)) for (const project of fleet.projects()) ownerRows.set(project.key, project.uid)
  return ownerRows.get(key)
}

interface Call {
  readonly caller: Caller
  readonly incoming: DemoRequest
  readonly parameters: URLSearchParams
  readonly context: RouteContext
}

async function perform(operation: Operation, call: Call): Promise<SimulatedAnswer> {
  const { caller, incoming, parameters, context } = call
  const { fleet, behaviour } = context
  const { release } = behaviour
  if (operation.name === 'test-function')
    return await tryFunction(caller.projectUid ?? operation.projectUid, incoming.body, context)
  if (operation.name === 'projects') return organisation(parameters.get('orgID'), call)
  // The trap: a project's key ignores the project in the path.
  const uid = caller.projectUid ?? operation.projectUid
  const project = fleet.project(uid)
  const isEndpoints =
    (operation.name === 'write' && operation.kind === 'endpoint') ||
    (operation.name === 'list' && operation.list === 'endpoints')
  if (project === undefined) {
    return enveloped(release, 400, isEndpoints ? releases[release].unknownProjectOfEndpoints : 'project not found')
  }
  if (caller.projectUid === null && behaviour.closedProjects.has(uid)) {
    return enveloped(
      release,
      400,
      isEndpoints ? releases[release].unknownProjectOfEndpoints : 'unauthorized to process request',
    )
  }
  if (operation.name === 'project')
    return enveloped(release, 200, 'Project fetched successfully', renderProject(project, release))
  if (operation.name === 'event-types') {
    if (behaviour.outage === 'lists-unreadable') return enveloped(release, 400, 'failed to fetch event types')
    const rows = catalogueOf(project, fleet.open(uid))
    return enveloped(release, 200, 'Event types fetched successfully', rows.map(renderEventType))
  }
  if (operation.name === 'write')
    return performWrite(fleet, { ...operation, projectUid: uid }, incoming.body, behaviour)
  if (operation.name === 'filters')
    return performFilterRequest(fleet, { ...operation, projectUid: uid }, incoming.body, behaviour)
  if (operation.name === 'delete') return performDeletion(fleet, { ...operation, projectUid: uid }, release)
  if (operation.name === 'deliveries') {
    if (behaviour.outage === 'lists-unreadable') {
      const what = operation.act === 'list events' ? 'app events' : 'event deliveries'
      return enveloped(release, 500, `an error occurred while fetching ${what}`)
    }
    const { worker, nowMs } = context
    const { maxPageSize } = behaviour
    const asked = { fleet, worker, release, maxPageSize, parameters, body: incoming.body, nowMs: nowMs() }
    return performDeliveryRequest({ ...operation, projectUid: uid }, asked)
  }
  if (behaviour.outage === 'lists-unreadable') return unreadable(operation.list, release)
  const names = isEndpoints ? namesOf(incoming.headers['x-convoy-version'], behaviour) : 'current'
  if (names === undefined) return enveloped(release, 400, 'Invalid version number')
  const page = readPageQuery(parameters, behaviour.maxPageSize)
  return context.answerList({ fleet, projectUid: uid, list: operation.list, page, parameters, release, names })
}

/** Interface versions before 2024-01-04 have other names; undefined if the version is not a date. */
function namesOf(version: string | undefined, { durations }: Behaviour) {
  if (version === undefined || version === '') return 'current'
  if (!/^\d{4}-\d\d-\d\d$/.test(version) || Number.isNaN(Date.parse(version))) return undefined
  return version < '2024-01-04' ? (`2024-${durations}` as const) : 'current'
}

/** Every key lists all projects, also that of a project, which reads its own alone. */
function organisation(uid: string | null, { context: { fleet, behaviour } }: Call): SimulatedAnswer {
  const { release } = behaviour
  if (uid === null || uid === '') return panicked(release)
  if (uid !== fleet.organisationId) return enveloped(release, 400, 'organisation not found')
  const open = fleet.projects().filter((project) => !behaviour.closedProjects.has(project.uid))
  return enveloped(
    release,
    200,
    'Projects fetched successfully',
    open.map((project) => renderProject(project, release)),
  )
}

/** Releases up to the contract's run a function for any project in the path. */
async function tryFunction(
  projectUid: string,
  body: string,
  { fleet, behaviour: { release, hasLicence, functionLimitMs, closedProjects, disabledProjects } }: RouteContext,
): Promise<SimulatedAnswer> {
  if (releases[release].checksFunctionProject) {
    if (fleet.project(projectUid) === undefined || closedProjects.has(projectUid))
      return enveloped(release, 400, 'failed to retrieve project')
    if (disabledProjects.has(projectUid)) {
      return enveloped(
        release,
        400,
        'this project has been disabled for write operations until you re-subscribe your convoy instance',
      )
    }
  }
  if (!hasLicence) {
    return enveloped(
      release,
      400,
      'your instance does not have access to transformations, please upgrade to access this feature',
    )
  }
  const result = await testFunction(body, { limitMs: functionLimitMs })
  return enveloped(
    release,
    result.status,
    result.message,
    result.status === 200 ? result.data && { ...result.data } : undefined,
  )
}

/** A project with its configuration, without its key. */
function renderProject(row: ProjectRow, release: SimulatedRelease): JsonObject {
  const {
    circuit_breaker,
    request_id_header = defaultRequestIdHeader,
    verify_dynamic_events = false,
    allow_unmatched_dynamic_urls = false,
    ...config
  } = row.config
  return {
    uid: row.uid,
    name: row.name,
    logo_url: '',
    organisation_id: row.organisation_id,
    type: row.type,
    config: {
      ...config,
      ...(release === 'older'
        ? { meta_event: { ...config.meta_event, event_type: null, pub_sub: null } }
        : circuit_breaker && { circuit_breaker }),
      ...(release === 'later' && { request_id_header, verify_dynamic_events, allow_unmatched_dynamic_urls }),
    },
    statistics: null,
    retained_events: 0,
    created_at: row.created_at,
    updated_at: row.updated_at,
    deleted_at: null,
  }
}

/** `data` absent: the service omitted it. */
type TrialAnswer =
  | {
      readonly status: 200
      readonly message: string
      readonly data?: { readonly payload: Json; readonly log: readonly string[] }
    }
  | { readonly status: 400; readonly message: string }

interface TrialOptions {
  /** The limit of a function's run; the service's own is 10,000. */
  readonly limitMs: number
}

/** The test_function operation: decodes the request, runs the function, checks the result as the service does. */
async function testFunction(body: string, { limitMs }: TrialOptions): Promise<TrialAnswer> {
  const request = readRequest(body)
  if (typeof request === 'string') return { status: 400, message: request }
  const result = await runInWorker({ function: request.function, payload: request.payload, limitMs })
  if (result.outcome === 'failed') return { status: 400, message: result.message }
  const message = 'Transformer function run successfully'
  const isBody = request.type === 'body'
  if (result.outcome === 'unserialisable')
    return isBody ? { status: 400, message: result.message } : { status: 200, message }
  const payload: Json = JSON.parse(result.value)
  const objection = isBody ? objectionTo(payload) : undefined
  if (objection !== undefined) return { status: 400, message: objection }
  return { status: 200, message, data: { payload, log: result.log } }
}

function readRequest(body: string): { function: string; payload: string; type: string } | string {
  if (body.trim() === '') return 'body must not be empty'
  let decoded: Json
  try {
    decoded = JSON.parse(body)
  } catch {
    return 'body contains badly-formed JSON'
  }
  if (!isJsonObject(decoded)) return `body contains incorrect JSON type (at character ${Buffer.byteLength(body)})`
  const { function: source = '', payload = null, type = '' } = decoded
  if (typeof source !== 'string') return wrongField('function')
  if (typeof type !== 'string') return wrongField('type')
  if (payload !== null && !isJsonObject(payload)) return wrongField('payload')
  return { function: source, payload: JSON.stringify(payload), type }
}

function wrongField(name: string): string {
  return `body contains incorrect JSON type for field "${name}"`
}

const fields: Readonly<Record<string, 'string' | 'object' | 'any'>> = {
  endpoint_id: 'string',
  owner_id: 'string',
  event_type: 'string',
  data: 'any',
  custom_headers: 'object',
  idempotency_key: 'string',
}

/** The service's complaint about the result of a function of type `body`; undefined if it has none. */
function objectionTo(payload: Json): string | undefined {
  if (payload !== null && !isJsonObject(payload)) {
    return `json: cannot unmarshal ${goKindOf(payload)} into Go value of type ${goStruct}`
  }
  for (const [key, value] of Object.entries(payload ?? {})) {
    const kind = fields[key]
    if (kind === undefined) return `json: unknown field "${key}"`
    if (kind !== 'any' && value !== null && goKindOf(value) !== kind) {
      const type = kind === 'string' ? 'string' : 'map[string]string'
      return `json: cannot unmarshal ${goKindOf(value)} into Go struct field .${key} of type ${type}`
    }
  }
  if (!payload?.event_type) return "the output payload doesn't include an event type"
  return 'data' in payload ? undefined : "the output payload doesn't include any data"
}

function goKindOf(value: Json): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

const goStruct =
  'struct { EndpointID string "json:\\"endpoint_id\\""; OwnerID string "json:\\"owner_id\\""; EventType string "json:\\"event_type\\""; ' +
  'Data json.RawMessage "json:\\"data\\""; CustomHeaders map[string]string "json:\\"custom_headers\\""; IdempotencyKey string "json:\\"idempotency_key\\"" }'

/** A function gets a thread of its own, so that an endless one does not block the service's other answers. */
function runInWorker(trial: FunctionCall): Promise<TransformResult> {
  const worker = new Worker(programFile('demo/function-worker'), { workerData: trial, env: {}, execArgv: [] })
  return new Promise<TransformResult>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  }).finally(() => worker.terminate())
}
