import type { ApprovedBody } from '../history/approvals.ts'
import { diffAttributes, holdsSeals } from '../inventory/diff-attributes.ts'
import { reseal } from '../inventory/reseal.ts'
import { type ResourceKey, resourceKey } from '../model/keys.ts'
import type { Kind, Listing, Resource } from '../model/resource.ts'
import type { Drift } from '../rules/engine/drift.ts'
import { type ComparedResource, type Comparison, changesOf, subjectOf } from './comparison.ts'
import type { ExpectedState } from './expected-state.ts'
import { filterText, isWithin } from './filtered.ts'
import type { ProjectContext } from './project-context.ts'
import { areSourcesListed, isKindComplete } from './project-scan.ts'
import { noChanges, type RecentChanges } from './recent-changes.ts'
import type { StagedResource } from './stage-resources.ts'

/** Compares with a state that a person approved. */
export function compareWithApproved(
  context: ProjectContext,
  expected: ExpectedState,
  recent: RecentChanges,
): Comparison {
  const { sealer, filters } = context
  const seen = new Set<ResourceKey>()
  let uncomparedSeals = 0

  const driftOf = async (listing: Listing, staged: StagedResource): Promise<Drift | undefined> => {
    const { resource, since } = staged
    const { kind, uid, attributes } = resource
    const changes = await changesOf(context, recent, staged)
    const common = { ...subjectOf(resource), after: attributes, isApproved: true, recent: changes }
    const isOld = expected.run !== undefined && since <= expected.run
    const body = isOld ? undefined : await expected.body(kind, uid)
    if (body === undefined) {
      if (!isOld && isNew(listing, kind)) {
        return { ...common, change: 'added', before: undefined, fields: [], areSealsComparable: true }
      }
      if (changes.size === 0) return undefined
      return { ...common, change: 'none', before: attributes, fields: [], areSealsComparable: true }
    }
    const areSealsComparable = body.sealKeyId === sealer.keyId
    if (!areSealsComparable && holdsSeals(body.attributes)) uncomparedSeals++
    // What was approved may have been written by an earlier hookdrift, which sealed less.
    const before = reseal(kind, body.attributes, sealer)
    const fields = diffAttributes(kind, before, attributes, { sealsComparable: areSealsComparable })
    if (fields.length === 0 && changes.size === 0) return undefined
    const verb = fields.length === 0 ? 'none' : 'modified'
    return { ...common, change: verb, before, fields, areSealsComparable }
  }

  /** Whether what the state does not hold is new: its scope may also have left it out. */
  const isNew = (listing: Listing, kind: Kind): boolean => {
    const view = expected.scopes[kind]
    return view !== undefined && view.listing === listing && view.filter === filterText(listing, filters)
  }

  return {
    async compare(listing, resources) {
      const compared: ComparedResource[] = []
      for (const staged of resources) {
        const { resource } = staged
        seen.add(resourceKey(resource))
        const drift = await driftOf(listing, staged)
        if (drift !== undefined) compared.push({ resource, drift })
      }
      return compared
    },
    async compareMissing(statuses) {
      const gone: ComparedResource[] = []
      const unobserved: ResourceKey[] = []
      for (const kind of ['endpoint', 'source', 'subscription'] as const) {
        // Where sources are not listed, one that nothing refers to may still be there.
        const isListed = kind !== 'source' || areSourcesListed(statuses)
        if (!isListed || !isKindComplete(statuses, kind)) continue
        for (const uid of await expected.uids(kind)) {
          const key = resourceKey({ kind, uid })
          const body = seen.has(key) ? undefined : await expected.body(kind, uid)
          if (body === undefined) continue
          if (isWithin(filters, kind, body.attributes)) gone.push(goneOf(kind, uid, body))
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
