import type { Resource } from '../model/resource.ts'
import type { KnownVersions } from './known-versions.ts'
import { areSourcesListed, type Statuses } from './project-scan.ts'

/** A listing whose resources subscriptions embed. */
export type EmbeddedListing = 'endpoints' | 'sources'

/**
 * Resources that subscriptions show although the list of their kind, which was read to its end, leaves them out. A
 * resource that nothing knew before may have been made meanwhile; from a list without any item, it has no such excuse.
 */
export interface Contradictions {
  /** Called before subscriptions are read. `itemsOf`: how many items a list has shown. */
  expect(statuses: Statuses, itemsOf: (listing: EmbeddedListing) => number): void
  take(subscriptions: readonly Resource[]): void
  /** Takes sources that no list has shown. `isInHistory`: whether an earlier scan did. */
  takeSources(embedded: Iterable<{ readonly resource: Pick<Resource, 'uid'>; readonly isInHistory: boolean }>): void
  uidsOf(listing: EmbeddedListing): ReadonlySet<string>
}

export function findContradictions(versions: Pick<KnownVersions, 'unseen'>): Contradictions {
  const contradicted = { endpoints: new Set<string>(), sources: new Set<string>() }
  /** undefined: their list proves nothing. `missing`: those that the list leaves out; undefined for an empty list. */
  let endpoints: { readonly missing: ReadonlySet<string> | undefined } | undefined
  let sources: { readonly isEmpty: boolean } | undefined

  const takeTarget = (uid: unknown) => {
    if (typeof uid === 'string' && endpoints?.missing?.has(uid) !== false) contradicted.endpoints.add(uid)
  }

  return {
    expect(statuses, itemsOf) {
      if (statuses.endpoints === 'complete') {
        const missing = versions.unseen('endpoint').map(({ uid }) => uid)
        endpoints = { missing: itemsOf('endpoints') === 0 ? undefined : new Set(missing) }
      }
      if (areSourcesListed(statuses) && statuses.sources === 'complete') sources = { isEmpty: itemsOf('sources') === 0 }
    },
    take(subscriptions) {
      if (endpoints === undefined || endpoints.missing?.size === 0) return
      for (const { attributes, unseen } of subscriptions)
        if (!unseen?.includes('/endpoint_uid')) takeTarget(attributes.endpoint_uid)
    },
    takeSources(embedded) {
      if (sources === undefined) return
      for (const { resource, isInHistory } of embedded)
        if (sources.isEmpty || isInHistory) contradicted.sources.add(resource.uid)
    },
    uidsOf: (listing) => contradicted[listing],
  }
}
