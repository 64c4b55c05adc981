import { canonicalJson } from '../../model/canonical-json.ts'
import { displayText } from '../../model/exact-number.ts'
import { isJsonObject, isWithinPointer, type Json, type JsonObject } from '../../model/json.ts'
import { pathStep } from '../../model/path-step.ts'
import { cut, quote } from '../../model/text/neutralise.ts'
import { incomingEndpoint, type Members, resourceFields } from '../fields.ts'
import {
  type FilterPlan,
  type FilterStates,
  isWithin,
  needsUids,
  pathOf,
  planFilters,
  readDeclaration,
} from './filter-plan.ts'
import { type BodyObject, type Pieces, placeholdersIn, withPlaceholder } from './pieces.ts'
import { createPlaceholders, nameOf, namesSpelledIn, type Placeholders, withoutSeals } from './placeholders.ts'
import type {
  Activation,
  PathPlaceholder,
  Repair,
  RepairableKind,
  RepairCase,
  RepairRequest,
  RequestPlaceholder,
} from './repair.ts'
import { type ManualStep, unknownFields, writeBody } from './write-body.ts'

/** The requests that bring a resource from its present state to an earlier one, and what they leave to a person. */
export function composeRepair(job: RepairCase): Repair {
  const { kind, now, changed, gone } = job
  if (now !== undefined && changed.length === 0) return { requests: [], manualSteps: [], notes: [] }
  const address = addressOf(job)
  if ('reason' in address) return { requests: [], manualSteps: [address], notes: [] }
  // Filter rows have requests of their own.
  const states = kind === 'subscription' ? { target: withoutRows(job.target), now: now && withoutRows(now) } : job
  const fields = kind === 'endpoint' && job.isIncoming ? incomingEndpoint : resourceFields[kind]
  const written = writeBody(fields, states)
  // A deleted secret, which only some releases list, does not count as a change.
  const isChanged = ({ path }: ManualStep) => path !== '/secrets' || changed.some((one) => isWithinPointer(one, path))
  const manualSteps: ManualStep[] = written.manualSteps.filter(isChanged)
  const spelled = namesSpelledIn({ body: written.body, rows: [job.target.filters ?? null, now?.filters ?? null] })
  const placeholders = createPlaceholders(kind, [...job.reserved, ...spelled])
  let body = placeholders.fill(written.body)
  for (const attribute of gone) {
    const { member, name } = newUids[attribute]
    body = withPlaceholder(body, member, placeholders.make(name))
  }

  const status =
    kind === 'endpoint' && now !== undefined
      ? statusRequests(job, now, address.path)
      : { requests: [], manualSteps: [] }
  const isStatus = (path: string) => kind === 'endpoint' && path === '/status'
  const isRow = (path: string) => kind === 'subscription' && /^\/filters(?:\/|$)/.test(path)
  const isLeft = (path: string) => manualSteps.some((each) => isWithinPointer(path, each.path))
  const restored = changed.filter((path) => !isStatus(path) && !isRow(path) && !isLeft(path))
  const rows = repairRows(job, {
    path: address.path,
    written: written.body,
    placeholders,
    isWritten: now === undefined || restored.length > 0,
    isSimple: placeholdersIn(body).length === 0,
  })

  const unknown = unknownFields(fields, states)
  if (unknown.length > 0 && (now === undefined || rows.isWritten)) {
    manualSteps.push(...unknown.map((path) => ({ path, reason: neverShown })))
  }
  const requests: RepairRequest[] = []
  if (now === undefined) {
    if (kind === 'endpoint') {
      manualSteps.push(...describeNewEndpoint(job.target))
      if (activeSecrets(job.target) > 0) body = withPlaceholder(body, 'secret', placeholders.make('ENDPOINT_SECRET'))
    }
    requests.push({
      method: 'POST',
      path: [address.path],
      pathPlaceholders: [],
      body,
      placeholders: describe(body, job),
      purpose: `create the ${kind} anew`,
      restores: [],
      when: null,
    })
  } else if (rows.isWritten) {
    requests.push({
      method: 'PUT',
      path: [address.path],
      pathPlaceholders: [],
      body,
      placeholders: describe(body, job),
      purpose: `update the ${kind}`,
      restores: [...restored, ...rows.done].sort().map(withoutSeals),
      when: null,
    })
  }
  const saysMore = status.requests.length + status.manualSteps.length > 0
  const all = [
    ...manualSteps.filter(({ path }) => !(saysMore && isStatus(path))),
    ...status.manualSteps,
    ...rows.manualSteps,
  ]
  return {
    requests: [...requests, ...status.requests, ...rows.requests],
    manualSteps: all
      .map(({ path, reason }) => ({ path: withoutSeals(path), reason }))
      .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)),
    notes: [...(requests.length > 0 ? sideEffectsOf(kind, written.body, changed) : []), ...rows.notes],
  }
}

interface SubscriptionRequest {
  /** That of the subscription, or of the list that a new one joins. */
  readonly path: string
  readonly written: JsonObject
  readonly placeholders: Placeholders
  /** Whether a request for the subscription itself is needed. */
  readonly isWritten: boolean
  /** Whether its body has no placeholder. */
  readonly isSimple: boolean
}

interface RowRepair {
  /** Whether a request for the subscription itself is sent. */
  readonly isWritten: boolean
  /** JSON Pointers of what that request puts back of rows by itself. */
  readonly done: readonly string[]
  readonly requests: readonly RepairRequest[]
  readonly manualSteps: readonly ManualStep[]
  readonly notes: readonly string[]
}

/**
 * What brings the filter rows of a subscription back, after the request for it. Without one, an update that changes
 * nothing else may do: it deletes rows that its list does not name, and needs no uid of a row for that.
 */
function repairRows(
  { kind, target, now, changed }: RepairCase,
  { path, written, placeholders, isWritten, isSimple }: SubscriptionRequest,
): RowRepair {
  const none = { isWritten, done: [], requests: [], manualSteps: [], notes: [] }
  if (kind !== 'subscription') return none
  const isRefiltered = changed.some((each) => each.startsWith('/filter_config'))
  const notes = now === undefined ? [unlicensedAnew] : isRefiltered ? [unlicensed] : []
  const states = filterStatesOf(target, now, changed)
  if (states === undefined)
    return { ...none, notes: isWritten ? [...notes, now === undefined ? newRows : rowsUnread] : notes }
  const declared = readDeclaration(written, now)
  const direct = planFilters(states, isWritten ? declared : undefined)
  const other = isWritten || !isSimple || !needsUids(direct) ? direct : planFilters(states, declared)
  const isShorter = needsUids(direct) && !needsUids(other)
  const plan = isShorter ? other : direct
  const { requests, manualSteps } = filterRequests(plan, states, ownerOf(path, now, placeholders), placeholders)
  const done = changed.filter((each) => plan.done.some((type) => isWithin(each, type)))
  const restored = new Set([...done, ...requests.flatMap(({ restores }) => restores)])
  return {
    isWritten: isWritten || isShorter,
    done,
    requests,
    notes,
    manualSteps: [...manualSteps, ...manualStepsOfFilters(changed, restored)],
  }
}

function ownerOf(path: string, now: JsonObject | undefined, placeholders: Placeholders): RowOwner {
  if (now !== undefined) return { path: [path], pathPlaceholders: [] }
  const { name } = placeholders.make('NEW_SUBSCRIPTION_ID')
  const hint = 'the uid of the new subscription, from the answer to the first request'
  return { path: [`${path}/`, { name }], pathPlaceholders: [{ name, hint }] }
}

const unlicensed =
  'Without a licence for advanced subscriptions, Convoy answers 202 to the update and keeps the present filter_config.'
const unlicensedAnew =
  'Without a licence for advanced subscriptions, Convoy creates it for every event type, without a filter.'
const rowsUnread =
  'Filter rows were not read in both states, so no request puts them back. The update deletes rows of event types that ' +
  'the subscription does not name, makes those that are missing, and keeps the conditions of all others. Convoy before ' +
  'v25.9.1 has no rows.'
const newRows =
  'Filter rows were never read: the new subscription gets those that its filter_config says. Convoy before v25.9.1 has none.'

function withoutRows({ filters: _, ...others }: JsonObject): JsonObject {
  return others
}

/** Where the request goes that updates the resource, or the one that creates it; else what is left to a person. */
function addressOf({ kind, projectUid, uid, now }: RepairCase): { readonly path: string } | ManualStep {
  if (kind === 'project' && now === undefined) return { path: '/projects' }
  const project = pathStep(projectUid)
  if (project === undefined) return { path: kind === 'project' ? '/uid' : '/project_id', reason: noStep }
  if (kind === 'project') return { path: `/projects/${project}` }
  if (now === undefined) return { path: `/projects/${project}/${kind}s` }
  const step = pathStep(uid)
  return step === undefined ? { path: '/uid', reason: noStep } : { path: `/projects/${project}/${kind}s/${step}` }
}

const noStep =
  'No request is printed: clients would read this uid as another address. Change the resource in the dashboard.'
const newUids = {
  endpoint_uid: { member: 'endpoint_id', name: 'NEW_ENDPOINT_ID' },
  source_uid: { member: 'source_id', name: 'NEW_SOURCE_ID' },
} as const
const neverShown = 'The service never showed it: its value is not known, and the request leaves it out.'

/** Signing secrets that are in force. A new endpoint signs with the one that the request names. */
function activeSecrets({ secrets }: JsonObject): number {
  const all = isJsonObject(secrets) ? Object.values(secrets).filter(isJsonObject) : []
  return all.filter(({ deleted_at }) => (deleted_at ?? null) === null).length
}

function describeNewEndpoint(target: JsonObject): ManualStep[] {
  const { status } = target
  const secrets = activeSecrets(target)
  return [
    ...(secrets > 1
      ? [{ path: '/secrets', reason: `It had ${secrets} signing secrets, and the request sets one.` }]
      : []),
    ...(typeof status === 'string' && status !== 'active'
      ? [{ path: '/status', reason: `It was ${withoutSeals(status)}, and the new one is active: pause it.` }]
      : []),
  ]
}

function describe(body: BodyObject, { kind, target, now }: RepairCase): RequestPlaceholder[] {
  const fields: Members = resourceFields[kind]
  return placeholdersIn(body).map(({ name, path, is }) => ({ name, path, is, hint: hintFor(path) }))

  function hintFor(path: string): string {
    const hint = nameSecret(path)
    return mayBeNoText.test(path) ? `${hint}; drop the quotes around it if it is not a text` : hint
  }

  function nameSecret(path: string): string {
    if (path === '/endpoint_id') return hintForNew('endpoint', target.endpoint_uid)
    if (path === '/source_id') return hintForNew('source', target.source_uid)
    if (path === '/secret') return 'the signing secret; without the member, the service makes one'
    const [, top = ''] = path.split('/')
    const keeps = Object.hasOwn(fields, top) ? fields[top]?.keeps : undefined
    const isSame = now !== undefined && canonicalJson(now[top] ?? null) === canonicalJson(target[top] ?? null)
    if (!isSame) return 'the former secret'
    return keeps !== undefined
      ? `the present secret; Convoy keeps /${top} if you drop it from the body`
      : 'the present secret'
  }
}

/** Names the former one, because requests for several resources have one each. */
function hintForNew(kind: 'endpoint' | 'source', former: Json | undefined): string {
  const uid = typeof former === 'string' ? ` ${quote(withoutSeals(former))}` : ''
  return `the uid of the new ${kind}: the former one${uid} is gone`
}

/** In filters and programs, the seal of a number or of a pattern is a text, too. */
const mayBeNoText = /^\/(?:filter_config\/filter\/|function$|body_function$|header_function$)/

interface StatusRequests {
  readonly requests: readonly RepairRequest[]
  readonly manualSteps: readonly ManualStep[]
}

/** The update of an endpoint does not take its status: requests of their own change it. `path`: of the endpoint. */
function statusRequests(
  { target, activation }: Pick<RepairCase, 'target' | 'activation'>,
  now: JsonObject,
  path: string,
): StatusRequests {
  const [from, to] = [now.status, target.status]
  if (from === to || to === undefined || from === undefined) return { requests: [], manualSteps: [] }
  if (to === 'active') return activate(from, path, activation)
  if (to !== 'paused') return { requests: [], manualSteps: [] }
  const pause = requestTo(path, 'pause', 'pause the endpoint with the switch `pause` (a paused one is activated by it)')
  if (from === 'active') return { requests: [pause], manualSteps: [] }
  const { requests, manualSteps } = activate(from, path, activation)
  return requests.length === 0 ? { requests, manualSteps } : { requests: [...requests, pause], manualSteps }
}

function activate(from: Json, path: string, activation: Activation | undefined): StatusRequests {
  const request = requestTo(path, 'activate', 'activate the endpoint')
  if (from === 'pending') return { requests: [], manualSteps: [{ path: '/status', reason: pendingForever }] }
  if (activation === 'request') return { requests: [request], manualSteps: [] }
  if (from !== 'paused') {
    const manualSteps = [{ path: '/status', reason: dashboard }]
    return activation === 'switch'
      ? { requests: [], manualSteps }
      : { requests: [{ ...request, when: onNewer }], manualSteps }
  }
  const toggle = requestTo(
    path,
    'pause',
    'activate the endpoint with the switch `pause` (an active one is paused by it)',
  )
  if (activation === 'switch') return { requests: [toggle], manualSteps: [] }
  return {
    requests: [
      { ...request, when: onNewer },
      { ...toggle, when: onOlder },
    ],
    manualSteps: [],
  }
}

const onNewer = 'For v26.6.5 of the service and newer ones. Up to v26.6.2, the answer is 404, and nothing changes.'
const onOlder =
  'For v26.6.2 of the service and older ones: only if the request before was answered with 404. ' +
  'After one that succeeded, it would pause the endpoint again.'
const pendingForever =
  'The service neither activates nor pauses a `pending` endpoint: create it anew, or change the status in the database.'
const dashboard =
  'Up to v26.6.2, no request activates this endpoint alone: activate it in the dashboard. An update of its project ' +
  'activates all inactive ones while `disable_endpoint` is off.'

function requestTo(path: string, what: 'pause' | 'activate', purpose: string): RepairRequest {
  return {
    method: what === 'pause' ? 'PUT' : 'POST',
    path: [`${path}/${what}`],
    pathPlaceholders: [],
    body: null,
    placeholders: [],
    purpose,
    restores: ['/status'],
    when: null,
  }
}

/** What a request that creates or updates a resource does besides writing its body: a sentence each. */
export function sideEffectsOf(kind: RepairableKind, body: JsonObject, changed: readonly string[]): readonly string[] {
  if (kind === 'endpoint') {
    const isHttps = typeof body.url === 'string' && /^https:/i.test(body.url)
    const isLicensed = changed.some((path) => /^\/(?:http_timeout|support_email|\w+_webhook_url)$/.test(path))
    return [...(isHttps ? [pinged] : []), ...(isLicensed ? [unlicensedEndpoint] : [])]
  }
  if (kind !== 'project') return []
  const { disable_endpoint, meta_event } = isJsonObject(body.config) ? body.config : {}
  const { is_enabled, url } = isJsonObject(meta_event) ? meta_event : {}
  const isPinged = is_enabled === true && typeof url === 'string' && /^https:/i.test(url)
  return [ownProject, ...(disable_endpoint === true ? [] : [activated]), ...(isPinged ? [metaPinged] : [])]
}

// services/update_endpoint.go, net/dispatcher.go (Ping); v25.9.2 ignores what comes back.
const pinged =
  'From v25.11.1 on, Convoy first requests the URL, without its API key, and answers 400 unless that succeeds within 10 s.'
// Tried on v26.3.6, as all below.
const unlicensedEndpoint =
  'Without a licence, Convoy answers 202 and keeps the contacts of an endpoint, and its timeout is 10 s.'
const ownProject = 'A key of another project changes that one instead, no matter what the address says.'
const activated = 'As `disable_endpoint` is off, the update also activates every inactive endpoint of the project.'
const metaPinged = 'Meta events are on: Convoy first requests their URL, and answers 400 while it cannot be reached.'

/** The subscription whose rows the requests change. */
interface RowOwner {
  /** Its path, with a placeholder where it is made anew. */
  readonly path: Pieces
  readonly pathPlaceholders: readonly PathPlaceholder[]
}

/**
 * Requests that change filter rows: first those that need no uid, because they are the ones that deliver again. The
 * history does not keep the uid of a row, so a list comes before the requests that name one.
 */
function filterRequests(
  plan: FilterPlan,
  { target, now, changed }: FilterStates,
  owner: RowOwner,
  placeholders: Placeholders,
): { readonly requests: readonly RepairRequest[]; readonly manualSteps: readonly ManualStep[] } {
  const manualSteps: ManualStep[] = []
  const added = plan.added.filter((type) => isNamed(type) || leave(type, unnamed)).map(add)
  const named = (type: string) =>
    isNamed(type) ? withoutSeals(type) === type || leave(type, sealedType) : leave(type, unnamed)
  const updated = plan.updated.filter(named).map(update)
  const deleted = plan.deleted.filter(named).map(remove)
  const list = requestTo('GET', '/filters', 'list the filter rows, for the uids in the requests below')
  return {
    requests: [...added, ...(updated.length + deleted.length === 0 ? [] : [list]), ...updated, ...deleted],
    manualSteps,
  }

  function leave(type: string, reason: string): false {
    manualSteps.push({ path: pathOf(type), reason })
    return false
  }

  function add(type: string): RepairRequest {
    return {
      ...requestTo('POST', '/filters', `add the filter row for ${show(type)}`, type),
      ...bodyOf(type, undefined),
    }
  }

  function update(type: string): RepairRequest {
    return { ...requestToRow('PUT', type, `update the filter row for ${show(type)}`), ...bodyOf(type, now[type]) }
  }

  function remove(type: string): RepairRequest {
    return requestToRow('DELETE', type, `delete the filter row for ${show(type)}`)
  }

  function requestToRow(method: 'PUT' | 'DELETE', type: string, purpose: string): RepairRequest {
    const uid = placeholders.make(nameOf('FILTER_ID', `/${type}`))
    // Whole, because two may begin alike.
    const hint = `the uid of the row whose event_type is ${quote(displayText(type))}, from the answer that lists the rows`
    const request = requestTo(method, '/filters/', purpose, type)
    return {
      ...request,
      path: [...request.path, uid],
      pathPlaceholders: [...request.pathPlaceholders, { name: uid.name, hint }],
    }
  }

  function requestTo(method: RepairRequest['method'], step: string, purpose: string, type?: string): RepairRequest {
    return {
      method,
      path: [...owner.path, step],
      pathPlaceholders: owner.pathPlaceholders,
      body: null,
      placeholders: [],
      purpose,
      restores: type === undefined ? [] : changed.filter((path) => isWithin(path, type)).map(withoutSeals),
      when: null,
    }
  }

  function bodyOf(type: string, before: unknown): Pick<RepairRequest, 'body' | 'placeholders'> {
    const row = target[type]
    const states = { target: isJsonObject(row) ? row : {}, now: isJsonObject(before) ? before : undefined }
    const written = writeBody(resourceFields.subscription.filters.members, states)
    manualSteps.push(...written.manualSteps.map(({ path, reason }) => ({ path: `${pathOf(type)}${path}`, reason })))
    const whole: JsonObject = { event_type: type, ...written.body }
    const body: BodyObject = placeholders.fill(whole)
    return { body, placeholders: placeholdersIn(body).map((each) => ({ ...each, hint: hintFor(each.path) })) }
  }
}

/** Whether a key is an event type: a row without one is keyed by its index. */
function isNamed(type: string): boolean {
  return !/^#\d{1,9}\??$/.test(type)
}

const unnamed = 'The service showed no event type of this row: change it in the dashboard.'
const sealedType = 'Its event type is sealed, so no request can name the row: change it in the dashboard.'
const longestType = 60

function show(type: string): string {
  return quote(cut(displayText(withoutSeals(type)), longestType))
}

/** In filters, the seal of a number or of a pattern is a text, too. */
function hintFor(path: string): string {
  return path === '/event_type' ? 'the event type' : 'the former secret; drop the quotes around it if it is not a text'
}

/** Rows of both states; undefined where one of them was not read. */
function filterStatesOf(
  target: JsonObject,
  now: JsonObject | undefined,
  changed: readonly string[],
): FilterStates | undefined {
  const rows = now === undefined ? {} : now.filters
  return isJsonObject(target.filters) && isJsonObject(rows) ? { target: target.filters, now: rows, changed } : undefined
}

/** Steps for a person: changes of the rows that no request makes. */
function manualStepsOfFilters(changed: readonly string[], restored: ReadonlySet<string>): readonly ManualStep[] {
  return changed
    .filter((path) => path.startsWith('/filters/') && path.endsWith('/enabled_at') && !restored.has(withoutSeals(path)))
    .map((path) => ({ path, reason: 'The row is switched on, as it was: only since when differs.' }))
}
