import { liftedBy } from '../inventory/take-inventory.ts'
import { type ResourceKey, resourceKey } from '../model/keys.ts'
import { KnownItem, type RawItem } from '../model/raw-page.ts'
import type { Kind, Listing, Resource } from '../model/resource.ts'

/** A resource that an item embeds. `version`: of a known item; `isOwn`: whether no listing or item showed it before. */
export interface EmbeddedResource {
  readonly kind: Kind
  readonly uid: string
  readonly version: number | undefined
  readonly isOwn: boolean
}

export interface Embedded {
  /** By place of the items. */
  readonly ofItem: readonly (readonly EmbeddedResource[])[]
  /** What items show for the first time: what was read of it; what is known; and all of it in the order of evaluation. */
  readonly fresh: readonly Resource[]
  readonly known: readonly { readonly kind: Kind; readonly uid: string; readonly version: number }[]
  readonly all: readonly EmbeddedResource[]
}

/**
 * Sorts out which item shows an embedded resource first: only that one counts. `lifted`: what was read of it; `shown`:
 * what was shown before, to which it adds.
 */
export function sortEmbedded(
  listing: Listing,
  items: readonly RawItem[],
  lifted: readonly Resource[],
  shown: Set<ResourceKey>,
): Embedded {
  const read = new Map(lifted.map((resource) => [resourceKey(resource), resource]))
  const ofItem = items.map((item) => {
    const embedded = item instanceof KnownItem ? item.lifted : liftedBy(listing, item)
    return embedded.map((one): EmbeddedResource => {
      const key = resourceKey(one)
      const isOwn = !shown.has(key)
      shown.add(key)
      const version = 'version' in one && typeof one.version === 'number' ? one.version : undefined
      return { kind: one.kind, uid: one.uid, version, isOwn }
    })
  })
  const own = ofItem.flat().filter(({ isOwn }) => isOwn)
  const all = [...Map.groupBy(own, ({ kind }) => kind).values()].flat()
  return {
    ofItem,
    all,
    fresh: own.flatMap((one) => (one.version === undefined ? (read.get(resourceKey(one)) ?? []) : [])),
    known: own.flatMap(({ kind, uid, version }) => (version === undefined ? [] : [{ kind, uid, version }])),
  }
}
