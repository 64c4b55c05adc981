import { isEqual } from '../model/json.ts'
import type { EventFilterRow, SubscriptionRow } from './rows.ts'

/**
 * The filter rows of a subscription, newest first. They decide what it gets; `filter_config` says only what they were
 * made of. Until a row is changed, they are not kept but made again for each answer.
 */
export function filterRowsOf(subscription: SubscriptionRow): readonly EventFilterRow[] {
  const { uid, created_at } = subscription
  return subscription.filters ?? rowsOf(subscription, typesOf(subscription), created_at, (type) => uidOf(uid, type))
}

/**
 * The row of a subscription with the filter rows that an update of it leaves: rows of event types that it no longer
 * names go, rows of new ones come with its conditions, and all others stay as they were, their conditions too.
 */
export function filtersAfterUpdate(
  before: SubscriptionRow,
  after: SubscriptionRow,
  births: { readonly at: string; readonly newUid: () => string },
): SubscriptionRow {
  if (before.filters === undefined && before.filter_config === after.filter_config) return after
  const types = typesOf(after)
  const rows = filterRowsOf(before)
  const remaining = rows.filter(({ event_type }) => types.has(event_type))
  const typesWithRows = new Set(remaining.map(({ event_type }) => event_type))
  const missing = [...types].filter((type) => !typesWithRows.has(type))
  // Rows that the declaration makes by itself are not kept; for simplicity, they are as old as the subscription.
  const isAsDeclared = before.filters === undefined && remaining.every((row) => hasConditionsOf(row, after))
  if (isAsDeclared) return after
  return { ...after, filters: [...rowsOf(after, missing, births.at, births.newUid), ...remaining] }
}

/** A person may have written anything into a declaration; a row has an event type that is not empty. */
function typesOf({ filter_config }: SubscriptionRow): ReadonlySet<string> {
  const types: unknown = filter_config?.event_types
  return new Set(Array.isArray(types) ? types.filter((type) => typeof type === 'string' && type !== '') : [])
}

function rowsOf(
  { filter_config }: SubscriptionRow,
  types: Iterable<string>,
  at: string,
  uidFor: (type: string) => string,
): readonly EventFilterRow[] {
  const { headers = {}, body = {}, query = {}, path = {} } = filter_config?.filter ?? {}
  return Array.from(types, (type) => {
    return { uid: uidFor(type), event_type: type, headers, body, query, path, enabled_at: at }
  })
}

function hasConditionsOf(row: EventFilterRow, subscription: SubscriptionRow): boolean {
  const [declared] = rowsOf(subscription, [row.event_type], '', () => '')
  if (declared === undefined) return false
  return (['headers', 'body', 'query', 'path'] as const).every((name) => isEqual(row[name], declared[name]))
}

/** The same for the same row each time, in the form of a ULID: the subscription's time, and a digest of the event type. */
function uidOf(subscription: string, type: string): string {
  let digest = 0x811c9dc5
  for (let index = 0; index < type.length; index++) digest = Math.imul(digest ^ type.charCodeAt(index), 0x01000193)
  return `${subscription.slice(0, 20)}${(digest >>> 0).toString(16).toUpperCase().slice(-6).padStart(6, '0')}`
}
