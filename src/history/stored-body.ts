import type { JsonObject } from '../model/json.ts'
import type { Facts } from '../model/resource.ts'
import type { StoredBody } from './history.ts'

/** A version's body as it is kept. */
export interface BodyRow {
  readonly name: string
  readonly body: string
  readonly facts: string
  readonly normaliser: number
  readonly sealKeyId: string
}

export function toStoredBody({ name, body, facts, normaliser, sealKeyId }: BodyRow): StoredBody {
  // What we wrote ourselves as canonical JSON of these types.
  const attributes = JSON.parse(body) as JsonObject
  return { name, attributes, facts: facts === '' ? {} : (JSON.parse(facts) as Facts), normaliser, sealKeyId }
}
