import { changeData, changeSubscription, updateSubscription } from '../../src/demo/edits.ts'
import type { InjectedFailure } from '../../src/demo/fault.ts'
import { createFilter, deleteFilter, updateFilter } from '../../src/demo/filter-request.ts'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import type { Random } from '../../src/demo/random.ts'
import {
  type EventFilterRow,
  type EventTypeRow,
  filterRowsOf,
  type ProjectRow,
  type SubscriptionRow,
} from '../../src/demo/rows.ts'
import type { SimulatedService } from '../../src/demo/simulated-service.ts'
import type { Offer } from '../../src/gateway/service/settings.ts'
import type { JsonObject } from '../../src/model/json.ts'

/** What is read besides resources with pages of their own: rows of subscriptions, and the catalogue of event types. */
export interface RowOffers {
  readonly filters: Offer
  readonly event_types: Offer
}

export function rowOffers(random: Random): RowOffers {
  return {
    filters: random.pick(['auto', 'auto', 'required', 'off']),
    event_types: random.pick(['auto', 'auto', 'required', 'off']),
  }
}

/** Often so few that most subscriptions have to wait for their turn. */
export function filtersPerRun(random: Random): number {
  return random.pick([1, 2, 3, 5, 9, 2000, 2000, 2000])
}

/** Something happens to filter rows, to what is declared, or to the catalogue of a random project. */
export function editRowsAtRandom(fleet: SimulatedFleet, random: Random): void {
  const project = fleet.projects()[random.below(fleet.projects().length)]
  if (project === undefined) return
  if (random.chance(0.2)) {
    editCatalogue(fleet, project, random)
    return
  }
  const { subscriptions } = fleet.open(project.uid)
  const subscription = subscriptions[random.below(subscriptions.length)]
  if (subscription === undefined) return
  const place = { project: project.uid, uid: subscription.uid }
  const rows = filterRowsOf(subscription)
  const row = rows[random.below(rows.length)]
  const change = (update: Partial<EventFilterRow>) => () => {
    if (row !== undefined) updateFilter(fleet, place, row.uid, update)
  }
  const edits: readonly [() => void, ...(() => void)[]] = [
    () => addRow(fleet, place, rows, random),
    () => addRow(fleet, place, rows, random),
    () => row && deleteFilter(fleet, place, row.uid),
    () => row && deleteFilter(fleet, place, row.uid),
    () => rows.forEach(({ uid }) => void deleteFilter(fleet, place, uid)),
    change({ enabled_at: null }),
    change({ enabled_at: null }),
    change({ enabled_at: null }),
    change({ enabled_at: '2026-11-20T10:00:00.25Z' }),
    change({ body: conditionsOf(random) }),
    change({ body: conditionsOf(random) }),
    change({ headers: conditionsOf(random) }),
    change({ query: conditionsOf(random) }),
    // Rows follow an update of the subscription in part only.
    () => updateSubscription(fleet, place, declared(subscription, random)),
    () => updateSubscription(fleet, place, declared(subscription, random)),
    // As a person writes it who edits the database.
    () =>
      changeSubscription(fleet, place, (known) => ({
        ...known,
        ...declared(subscription, random),
        filters: filterRowsOf(known),
      })),
  ]
  random.pick(edits)()
}

const eventTypes = [
  ...['*', '*', 'order.created', 'order.updated', 'Order.Created', 'order.created ', 'invoice/paid~v2', 'a', 'b'],
] as const

function addRow(
  fleet: SimulatedFleet,
  place: { readonly project: string; readonly uid: string },
  rows: readonly EventFilterRow[],
  random: Random,
): void {
  const known = new Set(rows.map(({ event_type }) => event_type))
  const event_type = random.pick([eventTypes[0], ...eventTypes])
  if (known.has(event_type)) return
  createFilter(fleet, place, { event_type, body: random.chance(0.6) ? {} : conditionsOf(random) })
}

function declared({ filter_config }: SubscriptionRow, random: Random): Pick<SubscriptionRow, 'filter_config'> {
  const event_types = Array.from({ length: random.below(4) }, () => random.pick([eventTypes[0], ...eventTypes]))
  const filter = random.chance(0.5) ? filter_config.filter : { ...filter_config.filter, body: conditionsOf(random) }
  return { filter_config: { event_types: random.chance(0.3) ? filter_config.event_types : event_types, filter } }
}

/** Some ask for more than others, some for the same in other words, one for nothing that there is. */
function conditionsOf(random: Random): JsonObject {
  return random.pick<JsonObject>([
    {},
    {},
    { amount: { $gt: 10 } },
    { amount: { $gt: 5 } },
    { amount: { $gt: 10 }, state: 'paid' },
    { state: 'paid' },
    { region: { $in: ['eu', 'us'] } },
    { region: { $in: ['eu'] } },
    { region: { $nin: ['eu', 'us'] } },
    { account: { region: 'eu' } },
    { 'account.region': 'eu' },
    { region: { $in: [] } },
  ])
}

function editCatalogue(fleet: SimulatedFleet, { uid }: ProjectRow, random: Random): void {
  const change = (edit: (types: readonly EventTypeRow[]) => readonly EventTypeRow[]) =>
    changeData(fleet, uid, (data) => ({ ...data, eventTypes: edit(data.eventTypes ?? []) }))
  const types = fleet.open(uid).eventTypes ?? []
  const chosen = types[random.below(types.length)]
  const update = (members: Partial<EventTypeRow>) => () =>
    change((all) => all.map((type) => (type.uid === chosen?.uid ? { ...type, ...members } : type)))
  random.pick<() => void>([
    update({ deprecated_at: '2026-11-19T08:00:00.5Z' }),
    update({ deprecated_at: '2026-11-19T09:00:00+01:00' }),
    update({ deprecated_at: null }),
    update({ description: random.pick(['', 'when an order is placed']), category: random.pick(['', 'orders']) }),
    // As after a restored backup: names that subscriptions declare come back by themselves.
    () => change((all) => all.filter(({ uid: other }) => other !== chosen?.uid)),
    () => change((all) => all.filter(() => random.chance(0.5))),
    () => change(() => []),
  ])()
}

/** Lets something go wrong with rows or a catalogue in the run to come. Called after the faults of other listings. */
export function disturbRows({ behaviour, faults, fleet }: SimulatedService, random: Random): void {
  if (random.chance(0.1)) behaviour.offers = { ...behaviour.offers, eventTypes: !behaviour.offers.eventTypes }
  const projects = fleet.projects()
  const project = projects[random.below(projects.length)]?.uid ?? ''
  const times = random.pick([1, 1, Number.POSITIVE_INFINITY])
  if (random.chance(0.3)) {
    const path = new RegExp(`/projects/${project}/event-types`)
    faults.push({ path, times, ...catalogueFailure(random) })
  }
  if (random.chance(0.35)) {
    const { subscriptions } = fleet.open(project)
    const one = subscriptions[random.below(subscriptions.length)]?.uid
    const of = one === undefined || random.chance(0.3) ? '[^/]+' : one
    const path = new RegExp(`/projects/${project}/subscriptions/${of}/filters`)
    faults.push({ path, times, skip: random.pick([0, 0, 2]), ...rowsFailure(random) })
  }
}

const text = { 'content-type': 'text/plain; charset=utf-8' }

const failures: readonly [InjectedFailure, ...InjectedFailure[]] = [
  { how: 'status', status: 500, body: '', headers: { 'content-type': 'application/json' } },
  { how: 'status', status: 502, body: 'bad gateway', headers: text },
  { how: 'status', status: 404, body: '404 page not found\n', headers: text },
  { how: 'status', status: 405, body: '', headers: text },
  { how: 'status', status: 401, body: { status: false, message: 'authorization failed' } },
  { how: 'status', status: 403, body: { status: false, message: 'forbidden' } },
  { how: 'status', status: 400, body: { status: false, message: 'project not found' } },
  { how: 'status', status: 400, body: { status: false, message: 'failed to fetch' } },
  { how: 'status', status: 200, body: { status: false, message: 'something went wrong' } },
  { how: 'status', status: 200, body: { status: true, message: 'nothing' } },
  { how: 'status', status: 200, body: { status: true, message: 'an object', data: {} } },
  { how: 'status', status: 206, body: { status: true, message: 'a part', data: [] } },
  { how: 'reset' },
  { how: 'cut-body' },
  { how: 'html' },
  { how: 'bad-json' },
]

function catalogueFailure(random: Random): InjectedFailure {
  return random.pick<InjectedFailure>([
    random.pick(failures),
    random.pick(failures),
    { how: 'rewrite', body: rewriting(() => []) },
    { how: 'rewrite', body: rewriting(() => []) },
    { how: 'rewrite', body: rewriting((types) => types.slice(1)) },
    { how: 'rewrite', body: rewriting((types) => types.filter((_, at) => at % 2 === 0)) },
    { how: 'rewrite', body: rewriting((types) => types.filter((_, at) => at % 3 === 0)) },
    { how: 'rewrite', body: rewriting((types) => [...types, ...types.slice(0, 1)]) },
    { how: 'rewrite', body: rewriting((types) => types.map((type, at) => (at === 0 ? { ...type, uid: '' } : type))) },
    { how: 'rewrite', body: rewriting((types) => types.map((type) => ({ ...type, region: 'eu' }))) },
  ])
}

function rowsFailure(random: Random): InjectedFailure {
  return random.pick<InjectedFailure>([
    random.pick(failures),
    random.pick(failures),
    random.pick(failures),
    { how: 'status', status: 404, body: { status: false, message: 'subscription not found' } },
    { how: 'rewrite', body: rewriting(() => []) },
    { how: 'rewrite', body: rewriting((rows) => rows.slice(1)) },
    { how: 'rewrite', body: rewriting((rows) => [...rows, ...rows.slice(0, 1)]) },
    { how: 'rewrite', body: rewriting((rows) => rows.map((row) => ({ ...row, event_type: '' }))) },
    { how: 'rewrite', body: rewriting((rows) => rows.map((row) => ({ ...row, subscription_id: null }))) },
    { how: 'rewrite', body: rewriting((rows) => rows.map((row) => ({ ...row, subscription_id: 'another' }))) },
    { how: 'rewrite', body: rewriting((rows) => rows.map((row) => ({ ...row, priority: 3 }))) },
  ])
}

type Item = Readonly<Record<string, unknown>>

/** The list that an answer is; an answer that is none stays. */
function rewriting(rewrite: (items: readonly Item[]) => readonly Item[]): (body: string) => string {
  return (body) => {
    if (!body.startsWith('{')) return body
    const envelope: { data?: unknown } = JSON.parse(body)
    return Array.isArray(envelope.data) ? JSON.stringify({ ...envelope, data: rewrite(envelope.data) }) : body
  }
}
