import { backslash, closingQuote, colon, quote, skipBlanks } from './json-bytes.ts'

/** What a name is replaced by, with its number behind it. */
const mark = 'name:'

/**
 * Parses JSON whose names have escapes. V8 takes such a name for another one that it met before (`"\n"` for `"\\"`, Node
 * 24 and 26: nodejs/node#63785), so each is parsed as a value, and a name without an escape has its place meanwhile.
 * @throws SyntaxError when it is not JSON
 */
export function parseEscapedNames(bytes: Buffer): unknown {
  const names: string[] = []
  const parts: string[] = []
  let copied = 0
  for (let at = bytes.indexOf(quote); at >= 0; at = bytes.indexOf(quote, at)) {
    const end = closingQuote(bytes, at + 1) + 1
    if (isName(bytes, end) && isReplaced(bytes.subarray(at + 1, end - 1))) {
      parts.push(bytes.toString('utf8', copied, at), `"${mark}${names.length}"`)
      names.push(JSON.parse(bytes.toString('utf8', at, end)))
      copied = end
    }
    at = end
  }
  parts.push(bytes.toString('utf8', copied))
  return rename(JSON.parse(parts.join('')), names)
}

function isName(bytes: Buffer, end: number): boolean {
  return bytes[skipBlanks(bytes, end)] === colon
}

/** A name that looks like a replaced one is replaced too. */
function isReplaced(name: Buffer): boolean {
  return name.includes(backslash) || name.toString('latin1', 0, mark.length) === mark
}

function rename(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((element) => rename(element, names))
  const members = Object.entries(value).map(([name, member]) => {
    const own = name.startsWith(mark) ? (names[Number(name.slice(mark.length))] ?? name) : name
    return [own, rename(member, names)] as const
  })
  return Object.fromEntries(members)
}
