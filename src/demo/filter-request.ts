import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import { enveloped, notFound } from './answers.ts'
import type { Behaviour, SimulatedRelease } from './behaviour.ts'
import { catalogueOf, changeSubscription, type EditedResource, presentOf } from './edits.ts'
import type { SimulatedAnswer } from './fault.ts'
import type { SimulatedFleet } from './fleet.ts'
import { findRow } from './page.ts'
import { ulid } from './random.ts'
import { type EventFilterRow, filterRowsOf } from './rows.ts'

/** A request about the filter rows of a subscription, which no list shows. */
export interface FilterRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly name: 'filters'
  readonly projectUid: string
  readonly subscription: string
  /** null: all rows, or a new one. */
  readonly uid: string | null
}

/** `rest`: the path below the project. Requests for several rows at once are not simulated. */
export function filterRequestAt(
  method: string,
  projectUid: string,
  rest: string,
  release: SimulatedRelease,
): FilterRequest | undefined {
  const [, subscription, uid = null] = /^subscriptions\/([^/]+)\/filters(?:\/([^/]+))?$/.exec(rest) ?? []
  if (subscription === undefined || release === 'older' || uid === 'bulk' || uid === 'bulk_update') return undefined
  const methods = uid === null ? (['GET', 'POST'] as const) : (['GET', 'PUT', 'DELETE'] as const)
  const handler = methods.find((one) => one === method) ?? 'GET'
  return { method: handler, name: 'filters', projectUid, subscription, uid }
}

export function performFilterRequest(
  fleet: SimulatedFleet,
  { method, projectUid: project, subscription, uid }: FilterRequest,
  body: string,
  { release, outage }: Pick<Behaviour, 'release' | 'outage'>,
): SimulatedAnswer {
  const refuse = (message: string, status: number) => enveloped(release, status, message)
  if (outage === 'lists-unreadable') return refuse('failed to find subscription', 400)
  const subscriptionRow = findRow(fleet.open(project).subscriptions, subscription)
  if (subscriptionRow === undefined) return refuse('subscription not found', 404)
  const target = { project, uid: subscription }
  const rows = filterRowsOf(subscriptionRow)
  const show = (row: EventFilterRow) => renderFilter(subscription, row, release, 'one')
  const isKnown = (type = '') => namesOf(fleet, project).has(type)
  if (uid === null && method === 'GET') {
    const all = rows.map((row) => renderFilter(subscription, row, release, 'listed'))
    return enveloped(release, 200, 'Filters retrieved successfully', all)
  }
  if (uid === null) {
    const given = read(body, release)
    if (given?.event_type === undefined) return refuse('Invalid request body', 400)
    if (!isKnown(given.event_type)) return refuse('event type does not exist', 404)
    if (rows.some(({ event_type }) => event_type === given.event_type))
      return refuse('filter with this event type already exists', 400)
    const created = createFilter(fleet, target, { ...given, event_type: given.event_type })
    return enveloped(release, 201, 'Filter created successfully', show(created))
  }
  const row = rows.find((each) => each.uid === uid)
  if (row === undefined) return refuse('filter not found', 404)
  switch (method) {
    case 'GET':
      return enveloped(release, 200, 'Filter retrieved successfully', show(row))
    case 'PUT': {
      const given = read(body, release)
      if (given === undefined) return refuse('Invalid request body', 400)
      // v26.3.6 asks for the event type even where it stays; tried.
      const type = release === 'later' ? (given.event_type ?? row.event_type) : given.event_type
      if (type !== row.event_type && !isKnown(type)) return refuse('event type does not exist', 404)
      const isTaken = (type: string) => rows.some((each) => each !== row && each.event_type === type)
      if (given.event_type !== undefined && isTaken(given.event_type))
        return refuse('filter with this event type already exists', 400)
      updateFilter(fleet, target, uid, given)
      return enveloped(release, 200, 'Filter updated successfully', show({ ...row, ...given }))
    }
    case 'DELETE':
      deleteFilter(fleet, target, uid)
      return enveloped(release, 200, 'Filter deleted successfully', null)
    default:
      return notFound()
  }
}

/** The types in a project's catalogue. */
function namesOf(fleet: SimulatedFleet, uid: string): ReadonlySet<string> {
  const project = fleet.project(uid)
  return new Set(project && catalogueOf(project, fleet.open(uid)).map(({ name }) => name))
}

/** Edits of filter rows. None leaves a trace in the list of subscriptions, not even in `updated_at`. */

/** Adds a row without conditions, unless some are given. */
export function createFilter(
  fleet: SimulatedFleet,
  subscription: EditedResource,
  given: Partial<EventFilterRow> & Pick<EventFilterRow, 'event_type'>,
): EventFilterRow {
  const { timeMs, at, random } = presentOf(fleet)
  const row = { uid: ulid(timeMs, random), headers: {}, body: {}, query: {}, path: {}, enabled_at: at, ...given }
  changeFilters(fleet, subscription, (rows) => [row, ...rows])
  return row
}

export function updateFilter(
  fleet: SimulatedFleet,
  subscription: EditedResource,
  uid: string,
  update: Partial<EventFilterRow>,
): void {
  changeFilters(fleet, subscription, (rows) => rows.map((row) => (row.uid === uid ? { ...row, ...update } : row)))
}

export function deleteFilter(fleet: SimulatedFleet, subscription: EditedResource, uid: string): void {
  changeFilters(fleet, subscription, (rows) => rows.filter((row) => row.uid !== uid))
}

/** The members that a body has. An update keeps those that it omits. */
function read(body: string, release: SimulatedRelease): Partial<EventFilterRow> | undefined {
  const given = parse(body)
  if (given === undefined) return undefined
  const { event_type: type, enabled_at } = given
  const names = release === 'later' ? conditions : conditions.slice(0, 2)
  const objects = names.flatMap((name): [string, JsonObject][] => {
    const value = given[name]
    return isJsonObject(value) ? [[name, value]] : []
  })
  return {
    ...(typeof type === 'string' && type !== '' && { event_type: type }),
    ...Object.fromEntries(objects),
    // Absent and null are not the same: the latter switches the row off.
    ...(release === 'later' && (typeof enabled_at === 'string' || enabled_at === null) && { enabled_at }),
  }
}

const conditions = ['headers', 'body', 'query', 'path'] as const

function parse(body: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(body)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The conditions as written are in the answer for one row only. */
function renderFilter(
  subscription: string,
  { uid, event_type, headers, body, query, path, enabled_at }: EventFilterRow,
  release: SimulatedRelease,
  how: 'listed' | 'one',
): JsonObject {
  const raw = (written: JsonObject) => (how === 'one' ? written : null)
  const [raw_headers, raw_body] = [raw(headers), raw(body)]
  const row = { uid, subscription_id: subscription, event_type }
  if (release !== 'later') return { ...row, headers, body, raw_headers, raw_body }
  const others = { raw_headers, raw_body, raw_query: raw(query), raw_path: raw(path) }
  return { ...row, enabled_at, headers, body, query, path, ...others }
}

function changeFilters(
  fleet: SimulatedFleet,
  subscription: EditedResource,
  change: (rows: readonly EventFilterRow[]) => readonly EventFilterRow[],
): void {
  changeSubscription(fleet, subscription, (row) => ({ ...row, filters: change(filterRowsOf(row)) }))
}
