import { isUtf8 } from 'node:buffer'
import { escapeText, exactNumber, longestNumber } from '../../model/exact-number.ts'

/** `isCutOff`: the text breaks off, so another try may help. */
type ParseResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string; readonly isCutOff: boolean }

const maxDepth = 64
/** Per object: one with more is not a resource, and reading it would delay the other projects. */
const maxMembers = 10_000

/** Names become parts of JSON Pointers, which every report contains. */
const longestName = 1000
/**
 * An object with a shape of its own takes up to 800 bytes in memory. A service's page has one object or list per 90
 * bytes.
 */
const maxContainers = 75_000
/** A number or a short text takes up to 50 bytes. A service's page has one member or element per 22 bytes. */
const maxValues = 250_000

/**
 * Parses strict JSON or refuses it: at most 64 levels, valid UTF-8, no key twice in an object (`JSON.parse` keeps the
 * last), no half surrogate pair, nothing after the value, and nothing that grows out of proportion in memory. A number
 * that a double cannot keep stays as its text (`model/exact-number.ts`). Texts beyond 2 MiB come in parts
 * (`split-page.ts`). A reason never quotes the text.
 */
export function parseJson(bytes: Buffer): ParseResult {
  const scan = scanJson(bytes)
  if (scan.depth > maxDepth) return refused(`JSON nested deeper than ${maxDepth}`)
  if (scan.isCutOff) return { ok: false, reason: 'the JSON breaks off', isCutOff: true }
  if (scan.containers > maxContainers) return refused(`JSON with more than ${maxContainers} objects and arrays`)
  if (scan.longestName > longestName) return refused(`JSON with a name of more than ${longestName} bytes`)
  if (scan.commas > maxValues) return refused(`JSON with more than ${maxValues} members and elements`)
  if (scan.largestObject > maxMembers) return refused(`JSON with more than ${maxMembers} members in one object`)
  if (scan.hasEndlessNumber) return refused(`JSON with a number of more than ${longestNumber} characters`)
  if (!isUtf8(bytes)) return refused('JSON that is not valid UTF-8')
  let value: unknown
  try {
    value = parseText(bytes, scan)
  } catch {
    return refused('malformed JSON')
  }
  if (countMembers(value) !== scan.members) return refused('JSON with a key twice in one object')
  if (scan.hasSurrogateEscape && !isWellFormed(value)) return refused('JSON with half a surrogate pair')
  return { ok: true, value }
}

/** The bytes of JSON's own characters. */
export const quote = 0x22
const plus = 0x2b
export const comma = 0x2c
const minus = 0x2d
const point = 0x2e
const zero = 0x30
const nine = 0x39
export const colon = 0x3a
const upperE = 0x45
export const openBracket = 0x5b
const backslash = 0x5c
export const closeBracket = 0x5d
const lowerE = 0x65
const lowerN = 0x6e
export const openBrace = 0x7b
export const closeBrace = 0x7d

/** The index of the closing quote of the string that begins at `from`; the length of the text if there is none. */
export function closingQuote(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

/** The first index from `at` on that is not a blank. */
export function skipBlanks(bytes: Buffer, at: number): number {
  let next = at
  while (isBlank(bytes[next])) next++
  return next
}

/** What one pass over the bytes of a JSON text finds before anything is built from it. */
interface JsonScan {
  /** Arrays and objects inside each other at the deepest point. */
  readonly depth: number
  /** The number of arrays and objects. */
  readonly containers: number
  /** Members of the largest object, among those nested no deeper than 255. */
  readonly largestObject: number
  /** Colons outside strings: members of objects, each counted as often as it is written. */
  readonly members: number
  /** Bytes of the longest name of a member. */
  readonly longestName: number
  /** Whether the name of a member has an escape. */
  readonly hasEscapedName: boolean
  /** Commas outside strings: members and elements that have one before them. */
  readonly commas: number
  /** Whether the text ends before everything opened is closed. */
  readonly isCutOff: boolean
  /** Whether an escape names half of a surrogate pair: only then can a string come out malformed. */
  readonly hasSurrogateEscape: boolean
  /** Whether there is a number that a double cannot keep as written. */
  readonly hasInexactNumber: boolean
  /** Whether an escape names a small letter or a colon, which need none. */
  readonly hasLetterEscape: boolean
  /** Whether a number has more characters than one may have. */
  readonly hasEndlessNumber: boolean
}

/** A double keeps every decimal of this many characters, with or without a point. */
const surelyHeld = 15

/** One pass, about a nanosecond a byte: strings have a loop of their own. It does not validate the text. */
function scanJson(bytes: Buffer): JsonScan {
  let depth = 0
  let deepest = 0
  let containers = 0
  let members = 0
  let commas = 0
  let longestName = 0
  /** Where the last string began, and its length. */
  let stringAt = 0
  let stringLength = 0
  let isEscaped = false
  let hasEscapedName = false
  let largestObject = 0
  /** Members so far of the objects that are open, by depth. */
  const open = new Uint32Array(256)
  let hasSurrogateEscape = false
  let hasInexactNumber = false
  let hasLetterEscape = false
  let hasEndlessNumber = false
  let isInString = false
  const { length } = bytes
  let i = 0
  while (i < length) {
    const byte = bytes[i++]
    if (byte === quote) {
      isInString = true
      isEscaped = false
      stringAt = i
      while (i < length) {
        const inside = bytes[i++]
        if (inside === quote) {
          isInString = false
          stringLength = i - 1 - stringAt
          break
        }
        if (inside === backslash) {
          isEscaped = true
          hasSurrogateEscape ||= isSurrogateEscape(bytes, i)
          hasLetterEscape ||= isLetterEscape(bytes, i)
          i++
        }
      }
    } else if (byte === colon) {
      members++
      hasEscapedName ||= isEscaped
      if (stringLength > longestName) longestName = stringLength
      const count = (open[depth] ?? 0) + 1
      open[depth] = count
      if (count > largestObject) largestObject = count
    } else if (byte === comma) {
      commas++
    } else if (byte === openBrace || byte === openBracket) {
      depth++
      containers++
      open[depth] = 0
      if (depth > deepest) deepest = depth
    } else if (byte === closeBrace || byte === closeBracket) {
      depth--
    } else if (byte !== undefined && byte >= zero && byte <= nine) {
      const start = i - 1
      while (isDigitOrPoint(bytes[i])) i++
      const isPlain = !isNumberByte(bytes[i])
      while (isNumberByte(bytes[i])) i++
      if (isPlain && i - start <= surelyHeld) continue
      if (i - start > longestNumber) hasEndlessNumber = true
      else hasInexactNumber ||= isInexact(bytes, start, i)
    }
  }
  const isCutOff = isInString || depth > 0
  return {
    depth: deepest,
    containers,
    largestObject,
    members,
    longestName,
    commas,
    isCutOff,
    hasEscapedName,
    hasSurrogateEscape,
    hasLetterEscape,
    hasInexactNumber,
    hasEndlessNumber,
  }
}

/** Whether `uD8` to `uDF` follows the backslash before `at`. */
function isSurrogateEscape(bytes: Uint8Array, at: number): boolean {
  const [u, d, digit] = [bytes[at], bytes[at + 1], bytes[at + 2]]
  // 8, 9, a to f.
  return (
    u === 0x75 &&
    (d === 0x64 || d === 0x44) &&
    digit !== undefined &&
    (digit === 0x38 || digit === 0x39 || digit >= 0x41)
  )
}

/** Whether `u006e` follows the backslash before `at`: a small letter, or the colon. */
function isLetterEscape(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== 0x75 || bytes[at + 1] !== zero || bytes[at + 2] !== zero) return false
  const [third, last] = [bytes[at + 3], (bytes[at + 4] ?? 0) | 0x20]
  // Go escapes `<` and `>`, which are next to the colon.
  return third === 0x36 || third === 0x37 || (third === 0x33 && last === 0x61)
}

function isDigitOrPoint(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= zero && byte <= nine) || byte === point)
}

/** Whether the byte may follow the first character of a number. */
function isNumberByte(byte: number | undefined): boolean {
  return isDigit(byte) || byte === point || byte === lowerE || byte === upperE || byte === plus || byte === minus
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= nine
}

/** Whether a double cannot keep a number, given without its sign. The quick check decides most of them. */
function isInexact(bytes: Buffer, start: number, end: number): boolean {
  if (isSurelyHeld(bytes, start, end)) return false
  return typeof exactNumber(bytes.toString('latin1', start, end)) === 'string'
}

/** A double keeps every decimal of 15 digits; with an exponent of two digits it is far from the limits. */
function isSurelyHeld(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte === lowerE || byte === upperE) return i - start <= surelyHeld && end - i <= '+10'.length
  }
  return end - start <= surelyHeld
}

function refused(reason: string): ParseResult {
  return { ok: false, reason, isCutOff: false }
}

/** @throws SyntaxError when it is not JSON */
function parseText(bytes: Buffer, { hasEscapedName, hasInexactNumber, hasLetterEscape }: JsonScan): unknown {
  // A page of numbers takes up to ten times as long with it, so it is only for pages that need it.
  const reviver = hasInexactNumber || mayMislead(bytes, hasLetterEscape) ? keepAsWritten : undefined
  return hasEscapedName ? parseEscapedNames(bytes, reviver) : JSON.parse(bytes.toString('utf8'), reviver)
}

type Reviver = typeof keepAsWritten

/** A reviver. `JSON.parse` also gives it the text of a number, of which TypeScript does not know yet. */
function keepAsWritten(_name: string, value: unknown, written?: { readonly source: string }): unknown {
  if (typeof value === 'number' && written !== undefined) return exactNumber(written.source)
  return typeof value === 'string' ? escapeText(value) : value
}

/** What a name is replaced by, with its number behind it. */
const nameMark = 'name:'

/**
 * Parses JSON whose names have escapes. V8 takes such a name for another one that it met before (`"\n"` for `"\\"`, Node
 * 24 and 26: nodejs/node#63785), so each is parsed as a value, and a name without an escape has its place meanwhile.
 * @throws SyntaxError when it is not JSON
 */
function parseEscapedNames(bytes: Buffer, reviver: Reviver | undefined): unknown {
  const names: string[] = []
  const parts: string[] = []
  let copied = 0
  for (let at = bytes.indexOf(quote); at >= 0; at = bytes.indexOf(quote, at)) {
    const end = closingQuote(bytes, at + 1) + 1
    if (isName(bytes, end) && isReplaced(bytes.subarray(at + 1, end - 1))) {
      parts.push(bytes.toString('utf8', copied, at), `"${nameMark}${names.length}"`)
      names.push(JSON.parse(bytes.toString('utf8', at, end)))
      copied = end
    }
    at = end
  }
  parts.push(bytes.toString('utf8', copied))
  return rename(JSON.parse(parts.join(''), reviver), names)
}

/** Whether the string that ends here is the name of a member and not a value. */
function isName(bytes: Buffer, end: number): boolean {
  return bytes[skipBlanks(bytes, end)] === colon
}

/** A name that looks like a replaced one is replaced too. */
function isReplaced(name: Buffer): boolean {
  return name.includes(backslash) || name.toString('latin1', 0, nameMark.length) === nameMark
}

function rename(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((element) => rename(element, names))
  const members = Object.entries(value).map(([name, member]) => {
    const originalName = name.startsWith(nameMark) ? (names[Number(name.slice(nameMark.length))] ?? name) : name
    return [originalName, rename(member, names)] as const
  })
  return Object.fromEntries(members)
}

/**
 * Whether a text may look like a marked number or an escaped text (`model/exact-number.ts`). This runs on every page,
 * so it searches for what few pages contain: a search that begins with a quote takes three times as long.
 */
function mayMislead(bytes: Buffer, hasLetterEscape: boolean): boolean {
  if (hasLetterEscape) return true
  for (let at = bytes.indexOf('umber:'); at >= 0; at = bytes.indexOf('umber:', at + 1)) {
    const before = bytes[at - 2]
    if (bytes[at - 1] === lowerN && (before === quote || before === colon)) return true
  }
  return false
}

/** Members of all objects in a tree; an array's elements do not count. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const element of value) if (typeof element === 'object') count += countMembers(element)
    return count
  }
  // for…in walks a plain object without a list of its keys; JSON.parse leaves nothing to inherit.
  const members = value as Record<string, unknown>
  for (const key in members) {
    count++
    const member = members[key]
    if (typeof member === 'object') count += countMembers(member)
  }
  return count
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isWellFormed)
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member))
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
