import { diffAttributes } from '../../src/gateway/inventory/diff-attributes.ts'
import { createSealer } from '../../src/gateway/inventory/sealer.ts'
import { takeInventory } from '../../src/gateway/inventory/take-inventory.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { Listing, Resource } from '../../src/model/resource.ts'

export const sealer = createSealer(Buffer.alloc(32, 1))

/** The resource that a listing of this one item gives. */
export function one(listing: Listing, item: JsonObject): Resource {
  const [resource] = takeInventory(listing, [{ uid: 'u', project_id: 'p', ...item }], sealer).listed
  if (resource === undefined) throw new Error('nothing listed')
  return resource
}
export const endpoint = (item: JsonObject) => one('endpoints', item)
export const source = (item: JsonObject) => one('sources', item)

/** What differs between two spellings of an item. */
export function between(listing: Listing, before: JsonObject, after: JsonObject) {
  const [old, now] = [one(listing, before), one(listing, after)]
  return diffAttributes(old.kind, old.attributes, now.attributes, { sealsComparable: true })
}
