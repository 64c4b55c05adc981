import type { Resource } from '../model/resource.ts'
import type { StagedResource } from './compare-resources.ts'
import { areSourcesListed, type Statuses } from './project-scan.ts'

/** A listing whose resources subscriptions embed. */
export type EmbeddedListing = 'endpoints' | 'sources'

/** Uids by the list that leaves them out. */
export type Contradictions = Readonly<Record<EmbeddedListing, ReadonlySet<string>>>

interface Shown {
  readonly statuses: Statuses
  readonly subscriptions: readonly Resource[]
  /** Sources that subscriptions embed and that no list has shown. */
  readonly embedded: readonly Pick<StagedResource, 'resource' | 'isInHistory'>[]
  /** Uids of known endpoints that the list does not show. */
  readonly missing: readonly string[]
  /** How many items a list has shown. */
  itemsOf(listing: EmbeddedListing): number
}

/**
 * Resources that subscriptions show although the list of their kind, which was read to its end, leaves them out. A
 * resource that nothing knew before may have been made meanwhile; from a list without any item, it has no such excuse.
 */
export function findContradictions({ statuses, subscriptions, embedded, missing, itemsOf }: Shown): Contradictions {
  const left = new Set(missing)
  const targets = subscriptions.flatMap(({ attributes: { endpoint_uid: uid }, unseen }) =>
    typeof uid === 'string' && !unseen?.includes('/endpoint_uid') ? uid : [],
  )
  const areEndpointsRead = statuses.endpoints === 'complete'
  const areSourcesRead = areSourcesListed(statuses) && statuses.sources === 'complete'
  const sources = embedded.filter(({ isInHistory }) => isInHistory || itemsOf('sources') === 0)
  return {
    endpoints: new Set(areEndpointsRead ? targets.filter((uid) => left.has(uid) || itemsOf('endpoints') === 0) : []),
    sources: new Set(areSourcesRead ? sources.map(({ resource }) => resource.uid) : []),
  }
}
