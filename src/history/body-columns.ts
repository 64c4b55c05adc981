import { isJsonObject, type JsonObject } from '../model/json.ts'
import { type Kind, longestUid } from '../model/resource.ts'

/** Columns of a version that repeat members of its body, by their names in SQL: indexes and joins need them. */
export interface BodyColumns {
  readonly endpoint_uid: string | null
  readonly source_uid: string | null
  readonly device_uid: string | null
  readonly owner_id: string | null
}

export const bodyColumns = [
  'endpoint_uid',
  'source_uid',
  'device_uid',
  'owner_id',
] as const satisfies readonly (keyof BodyColumns)[]

/** To whom a subscription refers, and who owns an endpoint; null for all else, and for what is not text. */
export function columnsOf(kind: Kind, attributes: JsonObject): BodyColumns {
  if (kind === 'endpoint') return { ...noColumns, owner_id: textOf(attributes.owner_id) }
  if (kind !== 'subscription') return noColumns
  return {
    endpoint_uid: uidOf(attributes.endpoint_uid),
    source_uid: uidOf(attributes.source_uid),
    device_uid: uidOf(attributes.device_uid),
    owner_id: null,
  }
}

/** The same, out of a stored body. A damaged one has none; its digest shows the damage. */
export function columnsOfBody(kind: Kind, body: string): BodyColumns {
  try {
    const attributes: unknown = JSON.parse(body)
    return isJsonObject(attributes) ? columnsOf(kind, attributes) : noColumns
  } catch {
    return noColumns
  }
}

const noColumns: BodyColumns = { endpoint_uid: null, source_uid: null, device_uid: null, owner_id: null }

/** A longer text is the uid of nothing. */
function uidOf(value: unknown): string | null {
  return typeof value === 'string' && value.length <= longestUid ? textOf(value) : null
}

/** JSON may contain half a surrogate pair, and no column can. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.toWellFormed() : null
}
