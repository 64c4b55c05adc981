import fc from 'fast-check'
import { expect } from 'vitest'
import { type EditedResource, updateSubscription } from '../../src/demo/edits.ts'
import { createFilter, deleteFilter, updateFilter } from '../../src/demo/filter-request.ts'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { type EventFilterRow, filterRowsOf, type SubscriptionRow } from '../../src/demo/rows.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { quote } from '../../src/model/text/neutralise.ts'
import { type PrintedRow, sendRows, valuesFrom } from './send-rows.ts'

/** A subscription whose filter rows are edited. */
export interface Place extends EditedResource {
  readonly fleet: SimulatedFleet
}

type Conditions = Partial<SubscriptionRow['filter_config']['filter']>

/** The subscription has rows for `a.created` and `a.updated`. `filter`: what it declares. */
export function placeInFleet(filter: Conditions = {}): Place {
  const sizes = { endpointsPerProject: 2, subscriptionsPerProject: 2 }
  const fleet = generateFleet({ clean: true, projects: 1, incomingEvery: 0, ...sizes })
  const project = fleet.projects()[0]?.uid ?? ''
  const [row] = fleet.open(project).subscriptions
  if (row === undefined) throw new Error('the fleet has no subscription')
  const place: Place = { fleet, project, uid: row.uid }
  declare(place, ['a.created', 'a.updated', '*'], filter)
  for (const { uid, event_type } of rowsAt(place)) if (event_type === '*') deleteFilter(fleet, place, uid)
  declare(place, ['a.created', 'a.updated'], filter)
  return place
}

export function declare(place: Place, types: readonly string[], filter: Conditions = {}): void {
  const whole = { is_flattened: true, headers: {}, body: {}, ...filter }
  updateSubscription(place.fleet, place, { filter_config: { event_types: types, filter: whole } })
}

/** An update that says what is declared already. */
export function rename(place: Place, name: string): void {
  const filter_config = subscriptionAt(place)?.filter_config
  if (filter_config === undefined) throw new Error('there is no such subscription')
  updateSubscription(place.fleet, place, { name, filter_config: { ...filter_config } })
}

export function rowsAt(place: Place): readonly EventFilterRow[] {
  const subscription = subscriptionAt(place)
  return subscription === undefined ? [] : filterRowsOf(subscription)
}

function subscriptionAt({ fleet, project, uid }: Place): SubscriptionRow | undefined {
  return fleet.open(project).subscriptions.find((each) => each.uid === uid)
}

export function add(place: Place, type: string, given: Partial<EventFilterRow> = {}): void {
  createFilter(place.fleet, place, { event_type: type, ...given })
}

export function change(place: Place, type: string, update: Partial<EventFilterRow>): void {
  updateFilter(place.fleet, place, uidOf(place, type), update)
}

export function remove(place: Place, type: string): void {
  deleteFilter(place.fleet, place, uidOf(place, type))
}

function uidOf(place: Place, type: string): string {
  const row = rowsAt(place).find(({ event_type }) => event_type === type)
  if (row === undefined) throw new Error(`there is no row for ${type}`)
  return row.uid
}

export const conditions = { body: { amount: { $gt: 10 } }, headers: { 'x-region': { $eq: 'eu' } } }

export const reference = (name: string) => `\${${name}}`

/** Some edits, in any order; only the later release can switch a row off. */
export function editsOf(release: 'seed' | 'later'): fc.Arbitrary<readonly ((place: Place) => void)[]> {
  const types = ['a.created', 'a.updated', '*', 'b', reference('FILTER_ID_B'), '__proto__', "o'clock", 'B']
  const anyType = fc.constantFrom(...types)
  const anyConditions = fc.constantFrom<Partial<EventFilterRow>>({ body: {}, headers: {} }, conditions, {
    body: { a: 1 },
  })
  const has = (place: Place, type: string) => rowsAt(place).some(({ event_type }) => event_type === type)
  const updates = fc.oneof(anyConditions, ...(release === 'later' ? [fc.constant({ enabled_at: null })] : []))
  return fc.array(
    fc.oneof(
      fc.tuple(anyType, anyConditions).map(([type, given]) => (place: Place) => {
        if (!has(place, type)) add(place, type, given)
      }),
      anyType.map((type) => (place: Place) => {
        if (has(place, type)) remove(place, type)
      }),
      fc.tuple(anyType, updates).map(([type, update]) => (place: Place) => {
        if (has(place, type)) change(place, type, update)
      }),
      fc.tuple(fc.uniqueArray(anyType, { minLength: 1, maxLength: 3 }), anyConditions).map(
        ([declared, given]) =>
          (place: Place) =>
            declare(place, declared, given),
      ),
      anyType.map((name) => (place: Place) => rename(place, name)),
    ),
    { minLength: 1, maxLength: 5 },
  )
}

export const list = 'GET /filters'
export const rowFor = (name: string) => `/filters/${reference(`FILTER_ID${name}`)}`

/** A request as the two above: below its subscription. */
export function shortForm({ method, url }: PrintedRow): string {
  const [, below = ''] = /\/subscriptions(.*)$/.exec(url) ?? []
  return `${method} ${below.replace(/^\/[^/]+/, '')}`.trim()
}

/**
 * Sends requests in their order; the uids of rows are taken from the answer that lists them, as a person does.
 * `secrets`: for each request, the body with its secrets. Returns the uid of a subscription that was made.
 */
export async function sendInOrder(
  rows: readonly PrintedRow[],
  known: ReadonlyMap<string, string>,
  secrets: readonly JsonObject[] = [],
): Promise<string | undefined> {
  const values = new Map(known)
  let made: string | undefined
  let listed: readonly EventFilterRow[] = []
  for (const [index, row] of rows.entries()) {
    for (const { name, hint } of row.placeholders) {
      const [, type] = /^the uid of the row whose event_type is (".*"), from/s.exec(hint) ?? []
      const found = listed.filter(({ event_type }) => quote(event_type) === type)
      if (type !== undefined) expect(found).toHaveLength(1)
      if (found[0] !== undefined) values.set(name, found[0].uid)
    }
    for (const [name, value] of valuesFrom([row], secrets[index] ?? {})) values.set(name, value)
    const [answer] = await sendRows([row], values)
    expect([row.purpose, answer?.status]).toEqual([row.purpose, expectedStatus(row)])
    // as: a list of rows is in place of the object.
    if (row.method === 'GET') listed = answer?.data as unknown as EventFilterRow[]
    if (row.purpose.startsWith('create ')) {
      made = String(answer?.data?.uid)
      values.set('NEW_SUBSCRIPTION_ID', made)
    }
  }
  return made
}

function expectedStatus({ method, url }: PrintedRow): number {
  if (method === 'POST') return 201
  return method === 'PUT' && !url.includes('/filters/') ? 202 : 200
}
