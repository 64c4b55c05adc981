import { isJsonObject, type JsonObject } from '../model/json.ts'
import { parseJson } from './parse-json.ts'

/** Some items of a page, in order, or the reason why they cannot be read. */
type Group =
  | { readonly ok: true; readonly items: readonly JsonObject[] }
  | { readonly ok: false; readonly reason: string }

const mostItems = 100
const mostBytes = 1024 * 1024
/** An item takes several times its size while it is sealed, compared and written. */
const largestItem = 8 * 1024 * 1024

/** Parses the pieces of a large page (`split-page.ts`) a few at a time, so that the rest cost only their bytes. */
export function* pageGroups(pieces: readonly (Buffer | JsonObject)[]): Generator<Group, void, void> {
  let items: JsonObject[] = []
  let bytes = 0
  for (const [index, piece] of pieces.entries()) {
    if (Buffer.isBuffer(piece)) {
      if (piece.length > largestItem)
        return yield { ok: false, reason: `item ${index + 1} is larger than ${largestItem} bytes` }
      const parsed = parseJson(piece)
      if (!parsed.ok) return yield { ok: false, reason: `item ${index + 1}: ${parsed.reason}` }
      if (!isJsonObject(parsed.value))
        return yield { ok: false, reason: 'data.content contains something that is not an object' }
      items.push(parsed.value)
      bytes += piece.length
    } else items.push(piece)
    if (items.length < mostItems && bytes < mostBytes) continue
    yield { ok: true, items }
    items = []
    bytes = 0
  }
  if (items.length > 0 || pieces.length === 0) yield { ok: true, items }
}
