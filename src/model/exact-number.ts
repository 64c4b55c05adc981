import { canonicalJson } from './canonical-json.ts'
import type { Json } from './json.ts'

/**
 * A JSON number that a double cannot keep as written, kept as its text: `number:1234567890123456789`. It differs from
 * the text of the same digits, so every comparison, digest and column treats it exactly.
 */
export type ExactNumber = `number:${string}`

const mark = 'number:'
/** Precedes a text of the service that would otherwise pass for an exact number. */
const escapePrefix = 'text:'

/** Characters of a number. Answers with a longer one are refused. */
export const longestNumber = 1000

/** The number of a JSON literal, or the marked literal if a double would change its value. */
export function exactNumber(source: string): number | ExactNumber {
  const value = Number(source)
  return isHeldBy(value, source) ? value : `${mark}${source}`
}

/** Whether a value is the mark of a number that a double cannot keep. */
export function isExactNumber(value: unknown): value is ExactNumber {
  if (typeof value !== 'string' || !value.startsWith(mark) || value.length > mark.length + longestNumber) return false
  const source = value.slice(mark.length)
  return literal.test(source) && !isHeldBy(Number(source), source)
}

const literal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The number as sent. */
export function numberText(marker: ExactNumber): string {
  return marker.slice(mark.length)
}

/** A text of the service as it is kept: one that looks like an exact number or has the prefix gets the prefix. */
export function escapeText(text: string): string {
  return isExactNumber(withoutEscapes(text)) ? `${escapePrefix}${text}` : text
}

function withoutEscapes(text: string): string {
  let at = 0
  while (text.startsWith(escapePrefix, at)) at += escapePrefix.length
  return text.slice(at)
}

/** A text for people: an exact number as its digits, any other text as sent. */
export function displayText(text: string): string {
  if (isExactNumber(text)) return numberText(text)
  return text.startsWith(escapePrefix) && isExactNumber(withoutEscapes(text)) ? text.slice(escapePrefix.length) : text
}

/** A value as JSON for people, in which exact numbers are numbers. */
export function displayJson(value: Json): string {
  return jsonOfNumbers(canonicalJson(value))
}

/** The same for JSON that is already written. */
export function jsonOfNumbers(json: string): string {
  return replaceMarked(json, (digits) => digits)
}

/** JSON for programs, with exact numbers as texts of their digits: a reader would round a number. */
export function jsonOfDigits(json: string): string {
  return replaceMarked(json, (digits) => `"${digits}"`)
}

/** Replaces exact numbers among the values of a JSON text, names of members aside. */
function replaceMarked(json: string, spell: (digits: string) => string): string {
  if (!json.includes(mark)) return json
  return json.replace(marked, (whole, escapes: string, source: string) => {
    if (!isExactNumber(`${mark}${source}`)) return whole
    return escapes === '' ? spell(source) : `"${escapes.slice(escapePrefix.length)}${mark}${source}"`
  })
}

/** Within a text a backslash precedes each quote, so the quote after the digits ends one. */
const marked = /(?<!\\)"((?:text:){0,100})number:(-?[0-9][0-9.eE+-]{0,1000})"(?!:)/g

/** A sentence in which exact numbers are their digits. */
export function withoutMarks(text: string): string {
  if (!text.includes(mark)) return text
  return text.replace(/\bnumber:(-?[0-9][0-9.eE+-]{0,1000})/g, (whole, source: string) => {
    // A full stop or a dash after the digits belongs to the sentence.
    const [end = ''] = /[.eE+-]*$/.exec(source) ?? []
    const digits = source.slice(0, source.length - end.length)
    return isExactNumber(`${mark}${digits}`) ? `${digits}${end}` : whole
  })
}

/** The nearest double; ±Infinity beyond the largest. Any other value unchanged. */
export function nearestDouble(value: Json): Json {
  return isExactNumber(value) ? Number(numberText(value)) : value
}

/** Below 0, 0 or above 0, by exact value; undefined unless both are numbers. */
export function compareNumbers(one: Json, other: Json): number | undefined {
  if (typeof one === 'number' && typeof other === 'number') return one === other ? 0 : one < other ? -1 : 1
  const [a, b] = [decimalOf(one), decimalOf(other)]
  if (a === undefined || b === undefined) return undefined
  if (a.sign !== b.sign) return a.sign - b.sign
  return a.sign * compareMagnitudes(a, b)
}

function decimalOf(value: Json): Decimal | undefined {
  if (typeof value === 'number') return readDecimal(String(value))
  return isExactNumber(value) ? readDecimal(numberText(value)) : undefined
}

function compareMagnitudes(a: Decimal, b: Decimal): number {
  if (a.exponent !== b.exponent) return a.exponent < b.exponent ? -1 : 1
  if (a.digits === b.digits) return 0
  return a.digits < b.digits ? -1 : 1
}

/** 0.digits × 10^exponent; zero has no digits. */
interface Decimal {
  readonly sign: -1 | 0 | 1
  /** Without zeros at either end. */
  readonly digits: string
  readonly exponent: number
}

/** Whether the shortest text of a double is the same number. The cost does not depend on the exponent. */
function isHeldBy(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false
  const shortest = String(value)
  if (shortest === source) return true
  // For whole numbers below 10^21 both texts are plain digits.
  if (value !== 0 && isDigits(source) && isDigits(shortest)) return false
  const [written, held] = [readDecimal(source), readDecimal(shortest)]
  return written.sign === held.sign && compareMagnitudes(written, held) === 0
}

function isDigits(text: string): boolean {
  for (let i = text.startsWith('-') ? 1 : 0; i < text.length; i++) {
    const character = text.charCodeAt(i)
    if (character < zero || character > nine) return false
  }
  return true
}

function readDecimal(source: string): Decimal {
  const mantissaEnd = Math.max(source.indexOf('e'), source.indexOf('E'))
  const end = mantissaEnd < 0 ? source.length : mantissaEnd
  const start = source.startsWith('-') ? 1 : 0
  const point = source.indexOf('.')
  let first = start
  while (first < end && !isSignificant(source, first)) first++
  if (first === end) return { sign: 0, digits: '', exponent: 0 }
  let last = end
  while (!isSignificant(source, last - 1)) last--
  const whole = point < 0 ? end : point
  const isSplit = first < whole && whole < last
  const digits = isSplit ? source.slice(first, whole) + source.slice(whole + 1, last) : source.slice(first, last)
  const exponent = mantissaEnd < 0 ? 0 : Number(source.slice(end + 1))
  return { sign: start === 1 ? -1 : 1, digits, exponent: exponent + whole - first + (first > whole ? 1 : 0) }
}

/** Whether the character is a digit other than 0. */
function isSignificant(text: string, at: number): boolean {
  const character = text.charCodeAt(at)
  return character > zero && character <= nine
}

const zero = 0x30
const nine = 0x39
