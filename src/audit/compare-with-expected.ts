import type { ApprovedBody } from '../history/approvals.ts'
import { diffAttributes, holdsSeals } from '../inventory/diff-attributes.ts'
import { reseal } from '../inventory/reseal.ts'
import type { Kind, Listing, Resource } from '../model/resource.ts'
import type { Drift } from '../rules/engine/drift.ts'
import type { ExpectedState } from './expected-state.ts'
import { filterText, isWithin } from './filtered.ts'
import { areSourcesListed, isKindComplete, type Statuses } from './project-scan.ts'
import { changesOf, type RecentChanges } from './recent-changes.ts'
import type { ProjectContext, StagedResource } from './stage-resources.ts'

/** Compares what a project's pages show with what drift rules hold against it. */
export interface Comparison {
  /** Resources that differ from the baseline, or changed lately. */
  compare(listing: Listing, resources: readonly StagedResource[]): Promise<readonly ComparedResource[]>
  /** Resources whose secrets were sealed under another installation key, and were not compared. */
  uncomparedSeals(): number
  /** What the baseline holds and complete walks did not show. Asked when all walks have ended. */
  compareMissing(statuses: Statuses): Promise<Missing>
}

export interface ComparedResource {
  readonly resource: Resource
  readonly drift: Drift
}

export interface Missing {
  readonly gone: readonly ComparedResource[]
  /** What the filters hid, as `kind uid`: nobody can say whether it is gone. */
  readonly unobserved: readonly string[]
}

interface ComparisonInput {
  /** undefined: no approved state holds, and the last complete look is the baseline. */
  readonly expected: ExpectedState | undefined
  readonly recent: RecentChanges
  /** Milliseconds since the epoch. */
  readonly now: number
}

export function compareWithBaseline(stage: ProjectContext, { expected, recent, now }: ComparisonInput): Comparison {
  const { sealer, filters } = stage
  const seen = new Set<string>()
  let uncompared = 0

  /** Against the last complete look, everything was compared when the resource was staged. */
  const sinceLastScan = async (staged: StagedResource): Promise<Drift | undefined> => {
    const { resource, base, change } = staged
    const changes = await changesOf(stage, recent, staged, now)
    if (change === undefined && changes.size === 0) return undefined
    return {
      ...subjectOf(resource),
      change: change?.change ?? 'none',
      before: base === 'same' ? resource.attributes : base?.attributes,
      after: resource.attributes,
      fields: change?.fields ?? [],
      isApproved: false,
      areSealsComparable: base === undefined || base === 'same' || base.sealKeyId === sealer.keyId,
      recent: changes,
    }
  }

  const sinceApproval = async (
    state: ExpectedState,
    listing: Listing,
    staged: StagedResource,
  ): Promise<Drift | undefined> => {
    const { resource, since } = staged
    const { kind, uid, attributes } = resource
    seen.add(`${kind} ${uid}`)
    const changes = await changesOf(stage, recent, staged, now)
    const common = { ...subjectOf(resource), after: attributes, isApproved: true, recent: changes }
    const isOld = state.run !== undefined && since <= state.run
    const body: ApprovedBody | undefined = isOld ? undefined : await state.body(kind, uid)
    if (isOld || body === undefined) {
      if (!isOld && isNew(state, listing, kind)) {
        return { ...common, change: 'added', before: undefined, fields: [], areSealsComparable: true }
      }
      if (changes.size === 0) return undefined
      return { ...common, change: 'none', before: attributes, fields: [], areSealsComparable: true }
    }
    const areSealsComparable = body.sealKeyId === sealer.keyId
    if (!areSealsComparable && holdsSeals(body.attributes)) uncompared++
    // What was approved may have been written by an earlier hookdrift, which sealed less.
    const before = reseal(kind, body.attributes, sealer)
    const fields = diffAttributes(kind, before, attributes, { sealsComparable: areSealsComparable })
    if (fields.length === 0 && changes.size === 0) return undefined
    const verb = fields.length === 0 ? 'none' : 'modified'
    return { ...common, change: verb, before, fields, areSealsComparable }
  }

  /** Whether what the state does not hold is new: it may also have been out of its sight. */
  const isNew = ({ scopes }: ExpectedState, listing: Listing, kind: Kind): boolean => {
    const scan = scopes[kind]
    return scan !== undefined && scan.listing === listing && scan.filter === filterText(listing, filters)
  }

  return {
    uncomparedSeals: () => uncompared,
    async compare(listing, resources) {
      const compared: ComparedResource[] = []
      for (const staged of resources) {
        const drift = await (expected === undefined ? sinceLastScan(staged) : sinceApproval(expected, listing, staged))
        if (drift !== undefined) compared.push({ resource: staged.resource, drift })
      }
      return compared
    },
    async compareMissing(statuses) {
      const gone: ComparedResource[] = []
      const unobserved: string[] = []
      for (const kind of expected === undefined ? [] : (['endpoint', 'source', 'subscription'] as const)) {
        // Where sources are not listed, one that nothing refers to may still be there.
        const isListed = kind !== 'source' || areSourcesListed(statuses)
        if (expected === undefined || !isListed || !isKindComplete(statuses, kind)) continue
        for (const uid of await expected.uids(kind)) {
          if (seen.has(`${kind} ${uid}`)) continue
          const body = await expected.body(kind, uid)
          if (body === undefined) continue
          if (isWithin(filters, kind, body.attributes)) gone.push(goneOf(kind, uid, body))
          else unobserved.push(`${kind} ${uid}`)
        }
      }
      return { gone, unobserved }
    },
  }
}

const nothing: Drift['recent'] = new Map()

function subjectOf({ kind, uid, name }: Resource): Pick<Drift, 'kind' | 'uid' | 'name'> {
  return { kind, uid, name }
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
      recent: nothing,
    },
  }
}
