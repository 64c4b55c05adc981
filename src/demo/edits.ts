import type { JsonObject } from '../model/json.ts'
import type { SimulatedFleet } from './fleet.ts'
import { aSecret, aSource, aSubscription } from './generate-project.ts'
import { createRandom, ulid } from './random.ts'
import {
  type EndpointRow,
  type EventTypeRow,
  filtersAfterUpdate,
  type ProjectConfigRow,
  type ProjectData,
  type ProjectRow,
  type SourceRow,
  type SubscriptionRow,
  timestamp,
} from './rows.ts'

/** Edits through the service's own interface, with the consequences that the real service draws. */

/** One resource of one project. */
export interface EditedResource {
  readonly project: string
  readonly uid: string
}

/** The body of PUT endpoints/{uid}. An omitted optional member is wiped, not kept. */
interface EndpointUpdate {
  readonly name: string
  readonly url: string
  readonly description?: string
  readonly authentication?: EndpointRow['authentication']
  readonly rate_limit?: number
  readonly rate_limit_duration?: number
  readonly http_timeout?: number
  readonly owner_id?: string
  readonly support_email?: string
  readonly slack_webhook_url?: string
}

/** The trap of this interface: a body without authentication, description or rate limits wipes them. */
export function updateEndpoint(fleet: SimulatedFleet, resource: EditedResource, update: EndpointUpdate): void {
  changeEndpoint(fleet, resource, (row) => ({
    ...row,
    description: '',
    authentication: null,
    rate_limit: 0,
    rate_limit_duration: 0,
    ...update,
    updated_at: presentOf(fleet).at,
  }))
}

/** `paused`, `active` or `inactive`; does not change `updated_at`. */
export function setEndpointStatus(fleet: SimulatedFleet, resource: EditedResource, status: string): void {
  changeEndpoint(fleet, resource, (row) => ({ ...row, status }))
}

/** The new secret signs from now on; the old ones get an expiry in an hour, and still sign after it. */
export function rotateSecret(fleet: SimulatedFleet, resource: EditedResource): void {
  const { timeMs, at, random } = presentOf(fleet)
  changeEndpoint(fleet, resource, (row) => {
    const old = (row.secrets ?? []).map((secret) =>
      secret.expires_at === null ? { ...secret, expires_at: timestamp(timeMs + 3_600_000, '167') } : secret,
    )
    return { ...row, secrets: [...old, aSecret(timeMs, random)], updated_at: at }
  })
}

/** Deletes every secret and adds a new one, with the given value or a random one. */
export function replaceSecret(fleet: SimulatedFleet, resource: EditedResource, value?: string): void {
  const { timeMs, at, random } = presentOf(fleet)
  changeEndpoint(fleet, resource, (row) => {
    const deleted = (row.secrets ?? []).map((secret) => ({ ...secret, deleted_at: secret.deleted_at ?? at }))
    const fresh = aSecret(timeMs, random)
    return { ...row, secrets: [...deleted, { ...fresh, value: value ?? fresh.value }], updated_at: at }
  })
}

/** Creates an endpoint with the service's defaults. Returns its uid. */
export function createEndpoint(
  fleet: SimulatedFleet,
  project: string,
  given: Partial<EndpointRow> & EndpointUpdate,
): string {
  const { timeMs, at, random } = presentOf(fleet)
  const row: EndpointRow = {
    uid: ulid(timeMs, random),
    project_id: project,
    owner_id: '',
    secrets: [aSecret(timeMs, random)],
    advanced_signatures: true,
    description: '',
    slack_webhook_url: '',
    support_email: '',
    teams_webhook_url: '',
    status: 'active',
    http_timeout: 10,
    authentication: null,
    mtls_client_cert: null,
    rate_limit: 0,
    rate_limit_duration: 0,
    content_type: 'application/json',
    failure_rate: null,
    cb_state: null,
    created_at: at,
    updated_at: at,
    ...given,
  }
  changeData(fleet, project, (data) => ({ ...data, endpoints: newestFirst([row, ...data.endpoints]) }))
  return row.uid
}

/** Deletes an endpoint and its subscriptions. */
export function deleteEndpoint(fleet: SimulatedFleet, { project, uid }: EditedResource): void {
  changeData(fleet, project, ({ endpoints, subscriptions, sources }) => ({
    endpoints: without(endpoints, uid),
    subscriptions: subscriptions.filter(({ endpoint_id }) => endpoint_id !== uid),
    sources,
  }))
}

/** Creates a source that verifies nothing. Returns its uid. */
export function createSource(fleet: SimulatedFleet, project: string, given: Partial<SourceRow>): string {
  const { timeMs, random } = presentOf(fleet)
  const row = fleet.project(project)
  if (row === undefined) throw new Error(`the fleet has no project ${project}`)
  const birth = { project: row, index: fleet.open(project).sources.length, timeMs, random }
  const source: SourceRow = { ...aSource(birth), verifier: null, idempotency_keys: [], body_function: null, ...given }
  changeData(fleet, project, (data) => ({ ...data, sources: newestFirst([source, ...data.sources]) }))
  return source.uid
}

export function updateSource(fleet: SimulatedFleet, resource: EditedResource, update: Partial<SourceRow>): void {
  const { at } = presentOf(fleet)
  changeData(fleet, resource.project, (data) => ({
    ...data,
    sources: changed(data.sources, resource.uid, (row) => ({ ...row, ...update, updated_at: at })),
  }))
}

/** Deletes a source and its subscriptions. */
export function deleteSource(fleet: SimulatedFleet, { project, uid }: EditedResource): void {
  changeData(fleet, project, ({ endpoints, subscriptions, sources }) => ({
    endpoints,
    subscriptions: subscriptions.filter(({ source_id }) => source_id !== uid),
    sources: without(sources, uid),
  }))
}

/** Creates a default subscription: everything, unfiltered. Returns its uid. */
export function createSubscription(
  fleet: SimulatedFleet,
  project: string,
  given: { readonly endpoint: string; readonly source?: string },
): string {
  const { timeMs, random } = presentOf(fleet)
  const { endpoints, sources, subscriptions } = fleet.open(project)
  const row = fleet.project(project)
  if (row === undefined) throw new Error(`the fleet has no project ${project}`)
  const birth = { project: row, index: subscriptions.length, timeMs, random }
  const endpoint = endpoints.find(({ uid }) => uid === given.endpoint)
  const source = sources.find(({ uid }) => uid === given.source)
  const subscription: SubscriptionRow = {
    ...aSubscription(birth, endpoint, source),
    alert_config: null,
    retry_config: null,
    rate_limit_config: null,
    filter_config: { event_types: ['*'], filter: { is_flattened: true, headers: {}, body: {} } },
  }
  changeData(fleet, project, (data) => ({ ...data, subscriptions: newestFirst([subscription, ...data.subscriptions]) }))
  return subscription.uid
}

/** Filter rows follow in part only: see `filtersAfterUpdate`. */
export function updateSubscription(
  fleet: SimulatedFleet,
  resource: EditedResource,
  update: Partial<SubscriptionRow>,
): void {
  const { timeMs, at, random } = presentOf(fleet)
  changeSubscription(fleet, resource, (row) => {
    const updated = { ...row, ...update, updated_at: at }
    return filtersAfterUpdate(row, updated, { at, newUid: () => ulid(timeMs, random) })
  })
}

/** Changes anything of a subscription's row, and keeps `updated_at`. */
export function changeSubscription(
  fleet: SimulatedFleet,
  { project, uid }: EditedResource,
  change: (row: SubscriptionRow) => SubscriptionRow,
): void {
  changeData(fleet, project, (data) => ({ ...data, subscriptions: changed(data.subscriptions, uid, change) }))
}

export function deleteSubscription(fleet: SimulatedFleet, { project, uid }: EditedResource): void {
  changeData(fleet, project, (data) => ({ ...data, subscriptions: without(data.subscriptions, uid) }))
}

export function updateProject(fleet: SimulatedFleet, uid: string, update: Partial<ProjectConfigRow>): void {
  const row = fleet.project(uid)
  if (row === undefined) throw new Error(`the fleet has no project ${uid}`)
  fleet.replace(uid, { project: { ...row, config: { ...row.config, ...update }, updated_at: presentOf(fleet).at } })
}

/** Changes anything of an endpoint's row, and keeps `updated_at`. */
export function changeEndpoint(
  fleet: SimulatedFleet,
  { project, uid }: EditedResource,
  change: (row: EndpointRow) => EndpointRow,
): void {
  changeData(fleet, project, (data) => ({ ...data, endpoints: changed(data.endpoints, uid, change) }))
}

/** Changes anything in a project's data; lists stay newest first. The catalogue keeps what subscriptions once named. */
export function changeData(fleet: SimulatedFleet, project: string, change: (data: ProjectData) => ProjectData): void {
  const row = fleet.project(project)
  if (row === undefined) throw new Error(`the fleet has no project ${project}`)
  const data = fleet.open(project)
  const eventTypes = catalogueOf(row, data)
  const next = change({ ...data, eventTypes })
  const { endpoints, subscriptions, sources } = next
  const grown = catalogueOf(row, { eventTypes: next.eventTypes ?? eventTypes, subscriptions })
  fleet.replace(project, { data: { endpoints, subscriptions, sources, eventTypes: grown } })
}

/** The fleet's clock moves only with edits: each comes a minute after the one before. */
export function presentOf(fleet: SimulatedFleet) {
  const serial = fleet.nextSerial()
  const timeMs = fleet.baseTimeMs + serial * 60_000
  return { timeMs, at: timestamp(timeMs, '143502'), random: createRandom(`${fleet.organisationId}/edit/${serial}`) }
}

function changed<Row extends { readonly uid: string }>(
  rows: readonly Row[],
  uid: string,
  change: (row: Row) => Row,
): readonly Row[] {
  const at = rows.findIndex((row) => row.uid === uid)
  const row = rows[at]
  if (row === undefined) throw new Error(`the project has no ${uid}`)
  return rows.with(at, change(row))
}

function without<Row extends { readonly uid: string }>(rows: readonly Row[], uid: string): readonly Row[] {
  if (!rows.some((row) => row.uid === uid)) throw new Error(`the project has no ${uid}`)
  return rows.filter((row) => row.uid !== uid)
}

function newestFirst<Row extends { readonly uid: string }>(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((left, right) => (left.uid < right.uid ? 1 : -1))
}

type CataloguedData = Pick<ProjectData, 'eventTypes' | 'subscriptions'>

/** The catalogue of a project, newest first: `*`, and each event type that a subscription or a row of one ever named. */
export function catalogueOf(project: ProjectRow, { eventTypes = [], subscriptions }: CataloguedData): EventTypeRow[] {
  const names = new Set(eventTypes.map(({ name }) => name))
  const named = subscriptions.flatMap(({ filter_config, filters = [] }) => [
    ...filter_config.event_types,
    ...filters.map(({ event_type }) => event_type),
  ])
  const fresh = [...new Set(['*', ...named])].filter((name) => !names.has(name)).sort()
  return [...fresh.reverse().map((name) => anEventType(project, name)), ...eventTypes]
}

/** As the service adds it by itself: with nothing but a name. */
function anEventType({ uid, created_at }: ProjectRow, name: string): EventTypeRow {
  const random = createRandom(`${uid}/event-type/${name}`)
  return {
    uid: ulid(Date.parse(created_at), random),
    name,
    category: '',
    json_schema: name === '*' ? {} : null,
    description: '',
    deprecated_at: null,
  }
}

/** An item of the catalogue. */
export function renderEventType({ uid, name, category, json_schema, description, deprecated_at }: EventTypeRow) {
  return { uid, name, category, json_schema, description, deprecated_at } satisfies JsonObject
}
