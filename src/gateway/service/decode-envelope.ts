import { isExactNumber } from '../../model/exact-number.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'

/** A decoded value, or the reason why it breaks the contract. */
type DecodingResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string }

interface DecodedPage {
  readonly items: readonly JsonObject[]
  /** null on the last page, even if the service names a cursor there. */
  readonly nextCursor: string | null
}

/** A cursor is sent in the URL of the next request. */
const longestCursor = 1000

/** The `data` of a success; undefined when it is absent, which a service leaves out that cannot write it. */
export function decodeEnvelope(value: unknown): DecodingResult<unknown> {
  if (!isJsonObject(value)) return broken('the answer is not an object')
  if (value.status !== true) return broken('status is not true')
  return { ok: true, value: value.data }
}

/**
 * Decodes a page of a listing. Portal keys send null for an empty list. `elsewhere`: the number of its
 * items that are not in the value (`split-page.ts`).
 */
export function decodePage(value: unknown, elsewhere = 0): DecodingResult<DecodedPage> {
  const envelope = decodeEnvelope(value)
  if (!envelope.ok) return envelope
  const data = envelope.value
  if (!isJsonObject(data)) return broken('data is not an object')
  const { content, pagination } = data
  if (!isJsonObject(pagination)) return broken('data.pagination is not an object')
  const { has_next_page: hasNextPage, next_page_cursor: nextCursor } = pagination
  if (typeof hasNextPage !== 'boolean') return broken('has_next_page is not a boolean')
  if (typeof nextCursor !== 'string' || isExactNumber(nextCursor)) return broken('next_page_cursor is not a string')
  if (hasNextPage && nextCursor === '') return broken('has_next_page is true and next_page_cursor is empty')
  if (hasNextPage && nextCursor.length > longestCursor)
    return broken(`next_page_cursor is longer than ${longestCursor} characters`)
  const items = content === null && !hasNextPage ? [] : content
  if (!Array.isArray(items)) return broken('data.content is not an array')
  if (!items.every(isJsonObject)) return broken('data.content contains something that is not an object')
  if (hasNextPage && items.length + elsewhere === 0) return broken('has_next_page is true on an empty page')
  return { ok: true, value: { items, nextCursor: hasNextPage ? nextCursor : null } }
}

/** What an item has in place of an id. Other gateways than Convoy may give a number, whose digits JSON readers change. */
export function badId(member: string, value: unknown): string {
  const isNumber = typeof value === 'number' || isExactNumber(value)
  return isNumber ? `a number as its ${member}, expected a text` : `no usable ${member}`
}

function broken(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason }
}
