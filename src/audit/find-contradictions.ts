import type { ScanDraft } from '../history/history.ts'
import { chunks } from '../model/chunks.ts'
import type { ProjectRef, Resource } from '../model/resource.ts'
import { areSourcesListed, type Statuses } from './project-scan.ts'

/** A listing whose resources subscriptions embed. */
export type EmbeddedListing = 'endpoints' | 'sources'

/**
 * Resources that subscriptions show although the list of their kind, which was read to its end, leaves them out. A
 * resource that nothing knew before may have been made meanwhile; from a list without any item, it has no such excuse.
 */
export interface Contradictions {
  /** Called before subscriptions are read. `itemsOf`: how many items a list has shown. */
  expect(statuses: Statuses, itemsOf: (listing: EmbeddedListing) => number): Promise<void>
  /** Takes subscriptions: as they were read, and by their versions. */
  take(read: readonly Resource[], known: readonly number[]): Promise<void>
  /** Takes sources that no list has shown. `isKnown`: whether an earlier scan did. */
  takeSources(embedded: Iterable<{ readonly uid: string; readonly isKnown: boolean }>): void
  uidsOf(listing: EmbeddedListing): ReadonlySet<string>
}

export function findContradictions(
  draft: Pick<ScanDraft, 'unseen' | 'versionsById' | 'subscriptionsTo'>,
  project: ProjectRef,
): Contradictions {
  const found = { endpoints: new Set<string>(), sources: new Set<string>() }
  /** undefined: their list proves nothing. `missing`: those that the list leaves out; undefined for an empty list. */
  let endpoints: { readonly missing: ReadonlySet<string> | undefined } | undefined
  /** The missing endpoint that a known subscription names, by its version. */
  let named: ReadonlyMap<number, string> = new Map()
  let sources: { readonly isEmpty: boolean } | undefined

  const takeTarget = (uid: unknown) => {
    if (typeof uid === 'string' && endpoints?.missing?.has(uid) !== false) found.endpoints.add(uid)
  }

  return {
    async expect(statuses, itemsOf) {
      if (statuses.endpoints === 'complete') {
        const missing = (await draft.unseen(project, 'endpoint')).map(({ uid }) => uid)
        const isEmpty = itemsOf('endpoints') === 0
        endpoints = isEmpty ? { missing: undefined } : { missing: new Set(missing) }
        if (!isEmpty && missing.length > 0) named = await draft.subscriptionsTo(project, missing)
      }
      if (areSourcesListed(statuses) && statuses.sources === 'complete') sources = { isEmpty: itemsOf('sources') === 0 }
    },
    async take(read, known) {
      if (endpoints === undefined || endpoints.missing?.size === 0) return
      for (const { attributes, unseen } of read)
        if (!unseen?.includes('/endpoint_uid')) takeTarget(attributes.endpoint_uid)
      if (endpoints.missing !== undefined) for (const version of known) takeTarget(named.get(version))
      else {
        for (const some of chunks(known, readAtOnce)) {
          for (const { attributes } of await draft.versionsById(project, some)) takeTarget(attributes.endpoint_uid)
        }
      }
    },
    takeSources(embedded) {
      if (sources === undefined) return
      for (const { uid, isKnown } of embedded) if (sources.isEmpty || isKnown) found.sources.add(uid)
    },
    uidsOf: (listing) => found[listing],
  }
}

/** Bodies at a time: memory holds no more of them. */
const readAtOnce = 100
