import { type Field, incomingEndpoint, resourceFields, sentWhenEmpty } from '../gateway/fields.ts'
import { asSeconds } from '../gateway/inventory/scalars.ts'
import { refusalOf, type WritableKind } from '../gateway/refuse-write.ts'
import { inAnswers, inSpelling, takeMembers } from '../gateway/take-members.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
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
import type { EndpointRow, ProjectConfigRow, SourceRow, SubscriptionRow } from './rows.ts'

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

/** What a body omits is wiped or kept, as by the real service. */
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
  const sent = read(body)
  if (sent === undefined) return refuse('Invalid request body')
  const { config, type } = fleet.project(project) ?? {}
  const isIncoming = type === 'incoming'
  const fields = kind === 'endpoint' && isIncoming ? incomingEndpoint : resourceFields[kind]
  const given = inSpelling(fields, sent)
  const isNew = uid === null && kind !== 'project'
  const keepsSettings = release === 'later' && !isForgetful
  const refusal = refusalOf({
    kind,
    isNew,
    body: given,
    fields,
    hasLicence,
    keepsSettings,
    isIncoming,
    config: { ...config },
    isOpen: kind === 'source' && sources.some((row) => row.uid === uid && row.verifier === null),
    has: (of, named) => (of === 'endpoint' ? endpoints : sources).some((row) => row.uid === named),
    isTaken: (endpoint) => subscriptions.some((row) => row.endpoint_id === endpoint && row.uid !== uid),
  })
  if (refusal !== undefined) return refusal.status === 500 ? panicked(release) : refuse(refusal.reason, refusal.status)
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
    const taking = { ...rowForm, isNew, hasLicence: () => hasLicence, keepsSettings, isForgetful }
    const taken = (row: object) =>
      asRow(takeMembers(fields, asAttributes({ ...row }), inAnswers(fields, given), taking))
    // as: the types of all but a few members are as the person wrote them, and the audit finds what is wrong.
    const changed = <Row extends { readonly uid: string }>(rows: readonly Row[]) =>
      rows.map((row) => (row.uid === resource.uid ? ({ ...row, ...taken(row), ...touched } as Row) : row))
    if (kind === 'project') {
      const row = fleet.project(project)
      const { name, config } = taken(row ?? {})
      const whole = config as unknown as ProjectConfigRow
      const { at: updated_at } = presentOf(fleet)
      if (row !== undefined)
        fleet.replace(project, { project: { ...row, name: String(name), config: whole, updated_at } })
      if (!whole.disable_endpoint) activateAll()
      return
    }
    if (kind === 'subscription' && uid !== null) {
      const row = subscriptions.find((each) => each.uid === uid)
      updateSubscription(fleet, resource, taken(row ?? {}))
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

const switched: Readonly<Record<string, string>> = { active: 'paused', paused: 'active' }

function read(body: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(body)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** How a row has what a request sends. */
const rowForm = {
  empty: (field: Field): Json =>
    field.isNullable || (field.type === 'struct' && field.guarded) ? null : sentWhenEmpty(field),
  read(sent: Json, path: string, field: Field): Json {
    if (path === '/verifier') return { ...noVerifier, ...objectIn(sent) }
    return field.isDuration === true && typeof sent === 'string' ? asSeconds(sent) : sent
  },
}

/** A row refers to others by `endpoint_id` and `source_id`. */
function asAttributes({ endpoint_id = null, source_id = null, ...row }: JsonObject): JsonObject {
  return { ...row, endpoint_uid: endpoint_id, source_uid: source_id }
}

function asRow({ endpoint_uid, source_uid, ...attributes }: JsonObject): JsonObject {
  return {
    ...attributes,
    ...(endpoint_uid !== undefined && { endpoint_id: endpoint_uid }),
    ...(source_uid !== undefined && { source_id: source_uid }),
  }
}

const noVerifier = { type: 'noop', hmac: null, basic_auth: null, api_key: null }

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}
