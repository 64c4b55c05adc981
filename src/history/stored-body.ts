import type { JsonObject } from '../model/json.ts'
import type { Facts } from '../model/resource.ts'
import type { StoredBody } from './history.ts'

/** A version's body as stored. */
export interface BodyRow {
  readonly name: string
  readonly fromRun: number
  readonly since: string
  readonly body: string
  readonly facts: string
  readonly normaliser: number
  readonly sealKeyId: string
}

export function toStoredBody({ body, facts, ...row }: BodyRow): StoredBody {
  // Hookdrift wrote it as canonical JSON of these types.
  const attributes = JSON.parse(body) as JsonObject
  const { name, fromRun, since, normaliser, sealKeyId } = row
  const known = facts === '' ? {} : (JSON.parse(facts) as Facts)
  return { name, fromRun, since, attributes, facts: known, normaliser, sealKeyId }
}
