import { findListFault } from '../../audit/find-list-fault.ts'
import { kindOf } from '../../audit/project-scan.ts'
import { ReleaseSigns } from '../../inventory/known-releases.ts'
import { maskingSealer } from '../../inventory/sealer.ts'
import { shapeOf } from '../../inventory/shape.ts'
import { takeInventory } from '../../inventory/take-inventory.ts'
import type { JsonObject } from '../../model/json.ts'
import { describeReleases } from '../../model/release-range.ts'
import type { Listing } from '../../model/resource.ts'
import { type Diagnosis, ok } from '../check.ts'

/** Items of one listing, as the service sent them for another check. */
export interface ShownItems {
  readonly listing: Listing
  readonly items: readonly JsonObject[]
}

/** What the fields of these items say of the release of their service; nothing where they say nothing. */
export function inferRelease(shown: readonly ShownItems[]): readonly Diagnosis[] {
  const signs = new ReleaseSigns()
  for (const { listing, items } of shown) {
    const sound = items.filter((item) => findListFault(kindOf[listing], item) === undefined)
    for (const resource of takeInventory(listing, sound, maskingSealer).listed) signs.note(listing, shapeOf(resource))
  }
  const release = signs.range()
  return release === undefined ? [] : [ok(describeReleases(release))]
}
