import type { Filters } from '../gateway/service/settings.ts'
import type { Coverage } from '../model/coverage.ts'
import type { JsonObject } from '../model/json.ts'
import type { Kind, Listing } from '../model/resource.ts'

/** What a listing is narrowed to, as coverage and reports say it; null when it is not. */
export function filterText(listing: Listing, filters: Filters): string | null {
  const { owner, name } = filters.endpoints ?? {}
  const parts =
    listing === 'endpoints'
      ? [owner && `owner=${owner}`, name && `name=${name}`]
      : listing === 'subscriptions'
        ? [
            filters.subscriptions?.name && `name=${filters.subscriptions.name}`,
            ...(filters.subscriptions?.endpoints ?? []).map((uid) => `endpoint=${uid}`),
          ]
        : []
  const text = parts.filter((part) => part !== undefined && part !== '').join(' ')
  return text === '' ? null : text
}

/** The filters that coverage names. */
export function filtersOf(coverage: readonly Pick<Coverage, 'listing' | 'filter'>[]): Filters {
  const textOf = (listing: Listing) => coverage.find((walk) => walk.listing === listing)?.filter ?? ''
  const [endpoints, subscriptions] = [textOf('endpoints'), textOf('subscriptions')]
  return {
    endpoints: { owner: valueIn(endpoints, 'owner', 'name'), name: valueIn(endpoints, 'name', 'owner') },
    subscriptions: {
      name: valueIn(subscriptions, 'name', 'endpoint'),
      endpoints: ` ${subscriptions}`.split(' endpoint=').slice(1),
    },
  }
}

/** What a text such as `owner=a name=b` says after a word, up to the next one; empty where it has no such word. */
function valueIn(text: string, word: string, next: string): string {
  const from = ` ${text}`.indexOf(` ${word}=`)
  const [value = ''] = from < 0 ? [] : text.slice(from + word.length + 1).split(` ${next}=`)
  return value
}

/**
 * Whether a resource, as it was last known, belongs to what is listed under the filters. One that does not is out of
 * view when it is not listed, not gone.
 */
export function isWithin(filters: Filters, kind: Kind, attributes: JsonObject): boolean {
  const holds = (name: string | undefined) =>
    !name || (typeof attributes.name === 'string' && attributes.name.toLowerCase().includes(name.toLowerCase()))
  if (kind === 'endpoint') {
    const { owner, name } = filters.endpoints ?? {}
    return holds(name) && (!owner || attributes.owner_id === owner)
  }
  if (kind === 'subscription') {
    const { name, endpoints = [] } = filters.subscriptions ?? {}
    return holds(name) && (endpoints.length === 0 || endpoints.includes(`${attributes.endpoint_uid}`))
  }
  return true
}
