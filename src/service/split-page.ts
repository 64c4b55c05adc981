import {
  closeBrace,
  closeBracket,
  closingQuote,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
  skipBlanks,
} from './json-bytes.ts'

/** A large page in pieces, so that only a few items are in memory as objects at once. */
export interface SplitPage {
  /** The answer with an empty list in place of the items. */
  readonly envelope: Buffer
  /** Each item as it was written. */
  readonly items: readonly Buffer[]
}

/**
 * Cuts the elements out of `data.content`, or out of `data` itself, without parsing them or checking that the text is JSON: the pieces are parsed
 * one by one. `cut off` when the text ends before the list does; undefined without such a list.
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
      if (byte === closeBracket)
        return { envelope: Buffer.concat([bytes.subarray(0, start), bytes.subarray(at)]), items }
      from = at + 1
    }
  }
  return 'cut off'
}

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

const data = Buffer.from('data')
const content = Buffer.from('content')
