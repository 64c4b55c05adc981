import { isJsonObject, type JsonObject } from '../../model/json.ts'
import {
  closeBrace,
  closeBracket,
  closingQuote,
  colon,
  comma,
  openBrace,
  openBracket,
  parseJson,
  quote,
  skipBlanks,
} from './parse-json.ts'

/** A page in pieces. */
interface SplitPage {
  /** What is before the items and behind them. */
  readonly head: Buffer
  readonly tail: Buffer
  /** Each item as it was written. */
  readonly items: readonly Buffer[]
}

/** The page with other items in place of its own. */
export function joinPage({ head, tail }: SplitPage, items: readonly Buffer[]): Buffer {
  return Buffer.concat([head, ...items.flatMap((item, at) => (at === 0 ? [item] : [separator, item])), tail])
}

const separator = Buffer.from(',')

/**
 * Cuts the elements out of `data.content`, or out of `data` itself, without parsing them or checking that the text is
 * JSON: the pieces are parsed one by one. `cut off` when the text ends before the list does; undefined without such a list.
 */
export function splitPage(bytes: Buffer, mostItems: number): SplitPage | 'cut off' | 'too many' | undefined {
  const start = findContent(bytes)
  if (start === undefined) return undefined
  const items: Buffer[] = []
  let depth = 0
  let from = start
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = closingQuote(bytes, at + 1)
    else if (byte === openBrace || byte === openBracket) depth++
    else if (depth > 0) {
      if (byte === closeBrace || byte === closeBracket) depth--
    } else if (byte === comma || byte === closeBracket) {
      const item = bytes.subarray(from, at)
      if (byte === comma || items.length > 0 || !isBlank(item)) items.push(item)
      if (items.length > mostItems) return 'too many'
      if (byte === closeBracket) return { head: bytes.subarray(0, start), tail: bytes.subarray(at), items }
      from = at + 1
    }
  }
  return 'cut off'
}

/** Some items of a page, in order, or the reason why they cannot be read. */
type Group =
  | { readonly ok: true; readonly items: readonly JsonObject[] }
  | { readonly ok: false; readonly reason: string }

const groupItems = 100
const groupBytes = 1024 * 1024
/** An item takes several times its size while it is sealed, compared and written. */
const largestItem = 8 * 1024 * 1024

/** Parses the pieces of a large page a few at a time, so that the rest cost only their bytes. */
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
    if (items.length < groupItems && bytes < groupBytes) continue
    yield { ok: true, items }
    items = []
    bytes = 0
  }
  if (items.length > 0 || pieces.length === 0) yield { ok: true, items }
}

const data = Buffer.from('data')
const content = Buffer.from('content')

/** Where the elements of the array `data` begin, or those of the array `content` of the object `data`. */
function findContent(bytes: Buffer): number | undefined {
  let depth = 0
  /** Whether the member that is open at depth 1 is `data`. */
  let isData = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) depth--
    else if (byte === quote) {
      const end = closingQuote(bytes, at + 1)
      const after = skipBlanks(bytes, end + 1)
      if (bytes[after] === colon && depth <= 2) {
        const name = bytes.subarray(at + 1, end)
        const value = skipBlanks(bytes, after + 1)
        if (depth === 1) isData = name.equals(data)
        if (depth === 1 && isData && bytes[value] === openBracket) return value + 1
        if (depth === 2 && isData && name.equals(content) && bytes[value] === openBracket) return value + 1
      }
      at = end
    }
  }
  return undefined
}

function isBlank(bytes: Buffer): boolean {
  return skipBlanks(bytes, 0) === bytes.length
}
