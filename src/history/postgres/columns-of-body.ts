import { isJsonObject } from '../../model/json.ts'

/** Columns of a version that repeat members of its body, by their names in SQL. */
export interface ColumnsOfBody {
  readonly endpoint_uid: string | null
  readonly source_uid: string | null
  readonly device_uid: string | null
  readonly owner_id: string | null
}

/**
 * To whom a subscription refers, and who owns an endpoint; null for all else, and for what is not text. Statements read
 * these columns, because PostgreSQL's JSON functions refuse bodies with \u0000 or half a surrogate pair.
 */
export function columnsOfBody(kind: string, body: string): ColumnsOfBody {
  const subscription = kind === 'subscription' ? parse(body) : {}
  const endpoint = kind === 'endpoint' ? parse(body) : {}
  return {
    endpoint_uid: textOf(subscription.endpoint_uid),
    source_uid: textOf(subscription.source_uid),
    device_uid: textOf(subscription.device_uid),
    owner_id: textOf(endpoint.owner_id),
  }
}

/** A damaged body has none; its digest shows the damage. */
function parse(body: string): Readonly<Record<string, unknown>> {
  try {
    const attributes: unknown = JSON.parse(body)
    return isJsonObject(attributes) ? attributes : {}
  } catch {
    return {}
  }
}

/** JSON may contain half a surrogate pair, and no column can. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.toWellFormed() : null
}
