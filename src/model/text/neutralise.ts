import { jsonOfDigits } from '../exact-number.ts'

/**
 * Characters that control a terminal or are invisible: controls (C0, DEL, C1), line and paragraph separators, bidi and
 * other format controls, characters without width except accents, lone surrogates.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** The same without line breaks, which JSON has between its values only. */
const unseenInJson = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--\n]/gv

const shortForms: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Makes foreign text safe for one line of a terminal: such characters become visible (`\x1b`, `\u202e`, `\n`).
 * Backslashes are kept, so patterns in messages remain readable; see `quote` where the text must be exact.
 */
export function neutralise(text: string): string {
  if (isPlainAscii(text)) return text
  return text.replace(unseen, (character) => shortForms[character] ?? escapeCodePoint(character))
}

/** Quotes a name or a string value, so that nothing in it passes for the text around it. */
export function quote(text: string): string {
  return `"${neutraliseQuoted(text)}"`
}

/** The inside of `quote`. */
export function neutraliseQuoted(text: string): string {
  return neutralise(text.replace(/["\\]/g, '\\$&'))
}

/**
 * Escapes the same characters in JSON text as `\uXXXX`; except for line breaks, they only occur inside strings. Numbers
 * that a double cannot represent become strings of their digits, because readers of JSON would round them.
 */
export function neutraliseJson(written: string): string {
  return escapeUnseen(jsonOfDigits(written))
}

/** The same for JSON that is sent: numbers stay as they are written. */
export function escapeUnseen(json: string): string {
  return /[^\n -~]/.test(json) ? json.replace(unseenInJson, escapeCodeUnits) : json
}

/**
 * Cuts foreign text for a field of a machine format: at most `longest` characters, then the original length. The JSON
 * report has the whole text.
 */
export function cut(text: string, longest = 4000): string {
  if (text.length <= longest) return text
  const end = /[\ud800-\udbff]/.test(text.charAt(longest - 1)) ? longest - 1 : longest
  return `${text.slice(0, end)}… (${text.length} characters)`
}

/** True for most texts, and ten times as fast as the replacement. */
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

/** Makes text match itself in a regular expression (`RegExp.escape` is not in Node 22). */
export function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
