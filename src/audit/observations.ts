import type { StagedChange } from '../history/records.ts'
import { ReleaseSigns } from '../inventory/known-releases.ts'
import { narrowBy, type Shape, shapeOf } from '../inventory/shape.ts'
import { type Kind, type Listing, type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'
import { countMalformed, countUnseen } from './count-fields.ts'
import type { TakenSettings } from './newer-settings.ts'
import type { Staged } from './stage-resources.ts'

/** What the pages of a project have shown so far, besides what is drafted and found. */
export class Observations {
  readonly shapes = new Map<Listing, Shape>()
  /** What the items show of the service's release. */
  readonly release = new ReleaseSigns()
  readonly malformed = countMalformed()
  readonly unseen = countUnseen()
  readonly changes: StagedChange[] = []
  /** How many changes are left out of drift, by the path in the policy; and resources in which nothing else changed. */
  readonly ignored = new Map<string, number>()
  readonly silentlyChanged: ResourceKey[] = []
  /** How many resources of a kind were known before and seen again. */
  readonly seenAgain = new Map<Kind, number>()
  /** Whether a secret was known under another installation key. */
  isRebased = false
  /** Whether something was known in another normal form. */
  isReformed = false
  /** The settings of the project that count; undefined where none were read. */
  settings: TakenSettings | undefined
  /** The project itself, as far as it was seen. */
  self: Resource

  constructor(projectUid: string) {
    this.self = { kind: 'project', uid: projectUid, name: '', attributes: {}, volatile: {}, facts: {} }
  }

  /** Notes the fields that the items of a listing show. */
  noteShapes(listing: Listing, listed: readonly Resource[]): void {
    for (const resource of listed) {
      const shape = shapeOf(resource)
      this.shapes.set(listing, narrowBy(this.shapes.get(listing), shape))
      this.release.note(listing, shape)
    }
  }

  noteStaged(listing: Listing, kind: Kind, { resources, isRebased, isReformed }: Staged): void {
    for (const { resource, change, leftOut } of resources) {
      if (change !== undefined) this.changes.push(change)
      else if (leftOut.size > 0) this.silentlyChanged.push(resourceKey(resource))
      for (const [path, count] of leftOut) this.ignored.set(path, (this.ignored.get(path) ?? 0) + count)
    }
    this.isRebased ||= isRebased
    this.isReformed ||= isReformed
    this.malformed.add(listing, resources)
    this.unseen.add(listing, kind, resources)
    const known = resources.filter(({ isKnown }) => isKnown)
    this.seenAgain.set(kind, (this.seenAgain.get(kind) ?? 0) + known.length)
    if (kind === 'project') this.self = resources[0]?.resource ?? this.self
  }
}
