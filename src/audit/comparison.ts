import { describeField, malformedFields } from '../gateway/inventory/malformed.ts'
import type { PastVersion } from '../history/stored-body.ts'
import { type JsonObject, memberOf, pointersOverlap } from '../model/json.ts'
import { type Kind, type Listing, type Resource, type ResourceKey, resourceKey, unseenIn } from '../model/resource.ts'
import type { Drift } from '../rules/engine/rule.ts'
import type { StagedResource } from './compare-resources.ts'
import { compareSince } from './compare-since.ts'
import { differs } from './date-values.ts'
import type { ProjectScan, Statuses } from './project-scan.ts'
import { datesOfChanges, noChanges, type RecentChanges } from './recent-changes.ts'

/** Compares what a project's listings show with what drift rules hold against it. */
export interface Comparison {
  compare(listing: Listing, resources: readonly ScannedResource[]): ComparedPage
  /** Whether a person approved a state of a resource that was compared last. */
  isApproved(resource: Resource): boolean
  /**
   * What the baseline holds and complete walks did not show. Asked when all has been compared. `unobserved`: what still
   * exists, as far as is known, and was not shown.
   */
  compareMissing(statuses: Statuses, unobserved: readonly ResourceKey[]): MissingResources
}

/** A resource that a scan shows, with how it was before. */
export interface ScannedResource extends Pick<StagedResource, 'resource' | 'since' | 'change'> {
  readonly previous: Pick<PastVersion, 'attributes'> | undefined
  readonly base: Pick<PastVersion, 'attributes' | 'doubts' | 'sealKeyId'> | undefined | 'same'
}

export interface ComparedPage {
  /** Resources that differ from the baseline, or changed lately. */
  readonly compared: readonly ComparedResource[]
  /** Resources with secrets that cannot be compared: the baseline has them sealed under another key, or in another form. */
  readonly resealed: readonly ResealedResource[]
}

export interface ResealedResource {
  readonly resource: Resource
  /** As the baseline has it. */
  readonly before: Pick<PastVersion, 'attributes' | 'sealKeyId'>
}

export interface ComparedResource {
  readonly resource: Resource
  readonly drift: Drift
  /** The run that shows what it is compared with; undefined when no run does. */
  readonly originRun: number | undefined
  /** JSON Pointers of what no rule could rely on since then: only rules that read it have something to say. */
  readonly unread?: readonly string[]
}

export interface MissingResources {
  readonly gone: readonly ComparedResource[]
  /** What the filters hid: whether it is gone cannot be said. */
  readonly unobserved: readonly ResourceKey[]
  /** How many resources were sealed under another installation key, or in another form: secrets were not compared. */
  readonly uncomparedSeals: number
}

/** Brings stored attributes to the form that a scan has. */
export type Reform = (kind: Kind, attributes: JsonObject) => JsonObject

/** With the last complete scan everything was compared when a resource was staged. */
export function compareWithLastScan(scan: ProjectScan, recent: RecentChanges, reform: Reform): Comparison {
  const { sealer } = scan
  return {
    isApproved: () => false,
    compare(_, resources) {
      const changed = resources.filter(
        ({ resource, change }) => change !== undefined || (recent.size > 0 && recent.has(resourceKey(resource))),
      )
      const compared = changed.flatMap((scanned): ComparedResource[] => {
        const { resource, base, change } = scanned
        const changes = changesOf(scan, recent, scanned)
        if (change === undefined && changes.size === 0) return []
        const drift: Drift = {
          ...subjectOf(resource),
          change: change?.change ?? 'none',
          // What only one side shows does not differ: a resource that changed lately is evaluated for that alone.
          before: base === 'same' || change === undefined ? resource.attributes : base?.attributes,
          after: resource.attributes,
          fields: change?.fields ?? [],
          isApproved: false,
          areSealsComparable: base === undefined || base === 'same' || base.sealKeyId === sealer.keyId,
          recent: changes,
        }
        return [{ resource, drift, originRun: scan.lastComplete[resource.kind]?.run }]
      })
      const resealed = resources.flatMap(({ resource, base }) => {
        if (base === undefined || base === 'same') return []
        return [{ resource, before: base }]
      })
      return { compared: [...compared, ...compareBeforeDoubt(scan, resources, reform)], resealed }
    },
    // What is gone since then shows as a removal, which is not a matter of a rule.
    compareMissing: () => ({ gone: [], unobserved: [], uncomparedSeals: 0 }),
  }
}

/**
 * Compares resources that had fields which no rule could rely on in the last scan with what they were before that: what
 * changed meanwhile would otherwise never show. Each such field by itself.
 */
function compareBeforeDoubt(
  scan: ProjectScan,
  scanned: readonly ScannedResource[],
  reform: Reform,
): readonly ComparedResource[] {
  const { at, sealer } = scan
  return scanned.flatMap(({ resource, base }) =>
    unreadIn(resource.kind, base === 'same' ? resource : base).flatMap((field): ComparedResource[] => {
      const isUnread = (path: string) => field.unread.some((pointer) => pointersOverlap(pointer, path))
      let { run } = field
      let version = at(resource, run - 1)
      while (version !== undefined) {
        const earlier = unreadIn(resource.kind, version).filter(({ unread }) => unread.some(isUnread))
        if (earlier.length === 0) break
        const since = Math.min(...earlier.map((one) => one.run))
        // In a damaged history it may be later.
        if (since >= run) return []
        run = since
        version = at(resource, run - 1)
      }
      if (version === undefined) return []
      const areSealsComparable = version.sealKeyId === sealer.keyId
      const { before, fields } = compareSince(scan, version, resource, reform)
      if (fields.length === 0) return []
      const drift: Drift = {
        ...subjectOf(resource),
        change: 'modified',
        before,
        after: resource.attributes,
        fields: fields.filter(({ path }) => isUnread(path)),
        isApproved: false,
        areSealsComparable,
        recent: noChanges,
      }
      return [{ resource, drift, originRun: version.fromRun, unread: field.unread }]
    }),
  )
}

/** Fields of a version that no rule can rely on, as JSON Pointers of their values, and since which run. */
function unreadIn(kind: Kind, version: Pick<PastVersion, 'attributes' | 'doubts'> | undefined) {
  if (version?.doubts === undefined) return []
  const { attributes, doubts } = version
  const byField = Map.groupBy(
    [...malformedFields(kind, attributes), ...unseenIn(version)],
    (path) => describeField(kind, path).path,
  )
  return [...byField].flatMap(([field, unread]) => {
    const doubt = memberOf(doubts, field)
    return doubt === undefined ? [] : [{ unread, run: doubt.run }]
  })
}

export function subjectOf({ kind, uid, name }: Resource): Pick<Drift, 'kind' | 'uid' | 'name'> {
  return { kind, uid, name }
}

/** When each field of a resource changed lately. */
export function changesOf(
  { at, now }: ProjectScan,
  recent: RecentChanges,
  { resource, previous, change }: ScannedResource,
): Drift['recent'] {
  const fresh = (change?.fields ?? [])
    .map(({ path }) => path)
    .filter((path) => previous !== undefined && differs(previous.attributes, resource.attributes, path))
  return datesOfChanges({ resource, reports: recent.get(resourceKey(resource)), fresh: new Set(fresh) }, now, at)
}
