import { compareFields } from '../gateway/inventory/compare-fields.ts'
import type { ApprovedBody } from '../history/approvals.ts'
import { type Kind, type Listing, type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'
import type { Drift } from '../rules/engine/rule.ts'
import { compareSince } from './compare-since.ts'
import {
  type ComparedResource,
  type Comparison,
  changesOf,
  compareWithLastScan,
  type Reform,
  type ResealedResource,
  type ScannedResource,
  subjectOf,
} from './comparison.ts'
import type { ExpectedState } from './expected-state.ts'
import { filterText, isWithin } from './listing-filters.ts'
import { areSourcesListed, isKindComplete, type ProjectScan } from './project-scan.ts'
import { noChanges, type RecentChanges } from './recent-changes.ts'

/** Compares with a state that a person approved; with the last complete scan what that state does not have. */
export function compareWithApproved(
  scan: ProjectScan,
  expected: ExpectedState,
  recent: RecentChanges,
  reform: Reform,
): Comparison {
  const { sealer, filters, before: known } = scan
  const lastScan = compareWithLastScan(scan, recent, reform)
  const seen = new Set<ResourceKey>()
  let uncomparedSeals = 0
  /** Resources of which the approved state says nothing. */
  const unapproved = new Set<ResourceKey>()

  const isOldVersion = ({ since, resource }: ScannedResource) => {
    const run = expected.runOf(resource)
    return run !== undefined && since <= run
  }

  const driftOf = (
    listing: Listing,
    scanned: ScannedResource,
    body: ApprovedBody | undefined,
    changes: Drift['recent'],
  ): Drift | undefined => {
    const { resource } = scanned
    const { kind, attributes } = resource
    const common = { ...subjectOf(resource), after: attributes, isApproved: true, recent: changes }
    if (body === undefined) {
      if (!isOldVersion(scanned)) {
        unapproved.add(resourceKey(resource))
        if (!isNew(listing, kind)) return undefined
        const added = { ...common, change: 'added', before: undefined, fields: [], recent: noChanges } as const
        return { ...added, areSealsComparable: true }
      }
      if (changes.size === 0) return undefined
      return { ...common, change: 'none', before: attributes, fields: [], areSealsComparable: true }
    }
    const areSealsComparable = body.sealKeyId === sealer.keyId
    // What was approved may have been written by an earlier hookdrift, which sealed less.
    const { before, fields } = compareSince(scan, body, resource, reform)
    if (fields.length === 0 && changes.size === 0) return undefined
    // What only one side shows does not differ: a resource that changed lately is evaluated for that alone.
    if (fields.length === 0) return { ...common, change: 'none', before: attributes, fields, areSealsComparable }
    return { ...common, change: 'modified', before, fields, areSealsComparable }
  }

  /** Whether what the state does not hold is new: its scope may also have left it out. */
  const isNew = (listing: Listing, kind: Kind): boolean => {
    const view = expected.scopes[kind]
    return view !== undefined && view.listing === listing && view.filter === filterText(listing, filters)
  }

  return {
    isApproved: (resource) => !unapproved.has(resourceKey(resource)),
    compare(listing, resources) {
      const compared: ComparedResource[] = []
      const resealed: ResealedResource[] = []
      for (const scanned of resources) {
        const { resource } = scanned
        seen.add(resourceKey(resource))
        // A version that is part of the approved state needs no comparison.
        const body = isOldVersion(scanned) ? undefined : expected.bodyOf(resource)
        if (body !== undefined) {
          const compared = compareFields(resource.kind, body, { ...resource, sealKeyId: sealer.keyId })
          if (compared.resealed.length > 0) resealed.push({ resource, before: body })
        }
        const drift = driftOf(listing, scanned, body, changesOf(scan, recent, scanned))
        if (drift !== undefined) compared.push({ resource, drift, originRun: expected.runOf(resource) })
      }
      uncomparedSeals += resealed.length
      const others = resources.filter(({ resource }) => unapproved.has(resourceKey(resource)))
      const sinceLastScan = lastScan.compare(listing, others)
      return {
        compared: [...compared, ...sinceLastScan.compared],
        resealed: [...resealed, ...sinceLastScan.resealed],
      }
    },
    compareMissing(statuses, stillThere) {
      const gone: ComparedResource[] = []
      const unobserved: ResourceKey[] = []
      const outOfView = new Set(stillThere)
      // This scan removed what was known until now. What was gone before would be shown again if it came back as approved.
      const isGone = ({ kind, uid }: { readonly kind: Kind; readonly uid: string }, body: ApprovedBody) =>
        !outOfView.has(resourceKey({ kind, uid })) &&
        (known.versions.find(kind, uid) !== undefined || isWithin(filters, kind, body.attributes))
      for (const kind of ['endpoint', 'source', 'event_type', 'subscription'] as const) {
        // Where sources are not listed, one that nothing refers to may still be there.
        const isListed = kind !== 'source' || areSourcesListed(statuses)
        if (!isListed || !isKindComplete(statuses, kind)) continue
        for (const uid of expected.uids(kind)) {
          const key = resourceKey({ kind, uid })
          const body = seen.has(key) ? undefined : expected.bodyOf({ kind, uid })
          if (body === undefined) continue
          if (isGone({ kind, uid }, body)) gone.push(goneOf(kind, uid, body))
          else unobserved.push(key)
        }
      }
      return { gone, unobserved, uncomparedSeals }
    },
  }
}

function goneOf(kind: Kind, uid: string, { name, attributes }: ApprovedBody): ComparedResource {
  const resource: Resource = { kind, uid, name, attributes, facts: {}, volatile: {} }
  return {
    resource,
    originRun: undefined,
    drift: {
      ...subjectOf(resource),
      change: 'removed',
      before: attributes,
      after: undefined,
      fields: [],
      isApproved: true,
      areSealsComparable: true,
      recent: noChanges,
    },
  }
}
