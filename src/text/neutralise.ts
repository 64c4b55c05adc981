import { jsonOfDigits } from '../model/exact-number.ts'

/**
 * What a terminal obeys or nobody sees: controls (C0, DEL, C1), line and paragraph separators, bidi and other format
 * controls, everything of no width that is no accent, lone surrogates.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const shortForms: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Text of others, safe to show on one line of a terminal: what would act or hide becomes visible (`\x1b`, `\u202e`,
 * `\n`). Backslashes stay as they are, so patterns in messages remain readable; see `quote` where it must be exact.
 */
export function neutralise(text: string): string {
  if (isPlainAscii(text)) return text
  return text.replace(unseen, (character) => shortForms[character] ?? escapeCodePoint(character))
}

/** A name or a string value with its bounds: nothing in it can pretend to be what stands beside it. */
export function quote(text: string): string {
  return `"${neutraliseQuoted(text)}"`
}

/** The inside of `quote`. */
export function neutraliseQuoted(text: string): string {
  return neutralise(text.replace(/["\\]/g, '\\$&'))
}

/**
 * JSON text in which the same characters are `\uXXXX`; they can only stand inside strings, but for the line breaks. Numbers
 * that no double holds are texts of their digits, for whoever reads JSON would round a number.
 */
export function neutraliseJson(written: string): string {
  const json = jsonOfDigits(written)
  if (isPlainAscii(json)) return json
  return json.replace(unseen, (character) => (character === '\n' ? character : escapeCodeUnits(character)))
}

/** Most texts are: they need no look at each character, which takes ten times as long. */
function isPlainAscii(text: string): boolean {
  return !/[^ -~]/.test(text)
}

function escapeCodePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code <= 0xff) return `\\x${hex(code, 2)}`
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 5)}}`
}

function escapeCodeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join('')
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}
