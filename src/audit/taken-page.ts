import type { FilterReadings } from '../inventory/take-inventory.ts'
import type { ResourceKey } from '../model/keys.ts'
import type { RawItem, RawPage } from '../model/raw-page.ts'
import type { Resource } from '../model/resource.ts'
import type { CheckedResource } from '../policy/evaluate-project.ts'
import type { Embedded } from './sort-embedded.ts'
import type { StagedResource } from './stage-resources.ts'

export interface TakenPage extends Pick<RawPage<RawItem>, 'number' | 'items' | 'digests'> {
  /** Of subscriptions whose filter rows were due. */
  readonly filters?: FilterReadings
}

/** Some items of a page, after all that could be done with them. */
export interface TakenItems {
  readonly items: readonly RawItem[]
  /** What was read of them and of what they embed. */
  readonly evaluated: ReadonlyMap<ResourceKey, ReadResource>
  readonly embedded: Embedded
  /** Resources that probes are about. */
  readonly probed: ReadonlySet<ResourceKey>
}

/** A resource that was read, staged and evaluated. */
export interface ReadResource {
  /** As it was read, without what earlier scans showed of it. */
  readonly read: Resource
  readonly staged: StagedResource
  readonly checked: CheckedResource
}
