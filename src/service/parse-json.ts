import { isUtf8 } from 'node:buffer'
import { longestNumber } from '../model/exact-number.ts'
import { markNumbers, mayMislead } from './mark-numbers.ts'
import { parseEscapedNames } from './parse-names.ts'
import { scanJson } from './scan-json.ts'

/** `isCutOff`: the text breaks off, so another try may help. */
type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string; readonly isCutOff: boolean }

type Scan = ReturnType<typeof scanJson>

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
export function parseJson(bytes: Buffer): Parsed {
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
  if (scan.inexactNumbers > 0 || mayMislead(bytes, scan.hasLetterEscape)) value = parseMarked(bytes, scan)
  if (countMembers(value) !== scan.members) return refused('JSON with a key twice in one object')
  if (scan.hasSurrogateEscape && !isWellFormed(value)) return refused('JSON with half a surrogate pair')
  return { ok: true, value }
}

function parseText(bytes: Buffer, { hasEscapedName }: Scan): unknown {
  return hasEscapedName ? parseEscapedNames(bytes) : JSON.parse(bytes.toString('utf8'))
}

/**
 * Parses valid JSON again, with marks. `JSON.parse` with a reviver that reads the source does the same, but takes 50
 * times as long and twice the memory on a page full of numbers.
 */
function parseMarked(bytes: Buffer, scan: Scan): unknown {
  return parseText(markNumbers(bytes, scan.inexactNumbers), scan)
}

function refused(reason: string): Parsed {
  return { ok: false, reason, isCutOff: false }
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
