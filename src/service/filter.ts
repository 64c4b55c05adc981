import { isJsonObject, type JsonObject } from '../model/json.ts'
import type { Listing } from '../model/resource.ts'
import type { Dialect } from './dialect.ts'
import { escapeForRegExp } from './foreign-text.ts'
import type { Filters } from './settings.ts'

/** One configured filter: how to request it, and how an item proves that the service applied it. */
export interface ListingFilter {
  readonly name: string
  /** Sent once for each value. */
  readonly parameter: string
  readonly values: readonly string[]
  holds(item: JsonObject): boolean
}

/** The filters of a listing; an empty value filters nothing and is not sent. */
export function filtersOf(
  listing: Listing,
  { endpoints, subscriptions }: Filters,
  { parameters }: Dialect,
): readonly ListingFilter[] {
  if (listing === 'endpoints') {
    return [
      filter('owner', parameters.endpointOwner, endpoints?.owner, (owner) => (item) => item.owner_id === owner),
      filter('name', parameters.endpointName, endpoints?.name, nameHolds),
    ].flat()
  }
  if (listing === 'subscriptions') {
    return [
      filter('name', parameters.subscriptionName, subscriptions?.name, nameHolds),
      endpointFilter(parameters.subscriptionEndpoint, subscriptions?.endpoints ?? []),
    ].flat()
  }
  return []
}

function filter(
  name: string,
  parameter: string,
  value: string | undefined,
  check: (value: string) => ListingFilter['holds'],
): ListingFilter[] {
  return value ? [{ name, parameter, values: [value], holds: check(value) }] : []
}

function endpointFilter(parameter: string, uids: readonly string[]): ListingFilter[] {
  if (uids.length === 0) return []
  const asked = new Set<unknown>(uids)
  const holds = ({ endpoint_metadata: endpoint }: JsonObject) => isJsonObject(endpoint) && asked.has(endpoint.uid)
  return [{ name: 'endpoint', parameter, values: uids, holds }]
}

/**
 * Whether the name contains `part`, in any case. The service matches with ILIKE, where `_` is any character and `%` any
 * number of them. Each text between two `%` is searched for after the first match of the one before: a name can be
 * long, and is scanned once.
 */
function nameHolds(part: string): ListingFilter['holds'] {
  const patterns = part.split('%').map((text) => new RegExp(escapeForRegExp(text).replaceAll('_', '.'), 'gisu'))
  return (item) => {
    // One version of the API says `title`.
    const name = item.name ?? item.title
    if (typeof name !== 'string') return false
    let at = 0
    return patterns.every((pattern) => {
      pattern.lastIndex = at
      const isFound = pattern.test(name)
      at = pattern.lastIndex
      return isFound
    })
  }
}
