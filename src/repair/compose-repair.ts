import { incomingEndpoint, type Members, resourceFields } from '../gateway/fields.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import { isJsonObject, isWithinPointer, type Json, type JsonObject } from '../model/json.ts'
import { pathStep } from '../model/path-step.ts'
import { quote } from '../text/neutralise.ts'
import { isWithin, needsUids, planFilters, readDeclaration } from './filter-plan.ts'
import { filterRequests, filterStatesOf, manualStepsOfFilters, type RowOwner } from './filter-requests.ts'
import { type BodyObject, placeholdersIn, withPlaceholder } from './pieces.ts'
import { createPlaceholders, namesSpelledIn, type Placeholders, withoutSeals } from './placeholders.ts'
import type { Activation, Repair, RepairCase, RepairRequest, RequestPlaceholder } from './repair.ts'
import { sideEffectsOf } from './side-effects.ts'
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
