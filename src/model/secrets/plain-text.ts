import { isUlidOrUuid } from './identifier-forms.ts'
import { holdsCredential } from './known-secrets.ts'
import { isRandomText } from './random-text.ts'

/**
 * Whether a text is harmless by its form: a few ordinary words, small numbers, dates, times, known forms of ids. For
 * places where a secret may be, so a doubtful text is not plain: `hunter2x`, `8765432109`, `Xk9-qQ`.
 */
export function isPlain(text: string): boolean {
  if (text.length > longestPlain) return false
  if (text === '' || isTime(text) || isUlidOrUuid(text)) return true
  if (holdsCredential(text)) return false
  const words = text.split(separators)
  let separating = text.length
  let mixed = 0
  for (const word of words) {
    separating -= word.length
    if (word === '' || isWord(word) || isSmallNumber(word)) continue
    if (!isNumbered(word)) return false
    mixed++
  }
  if (mixed > mostNumbered) return false
  // A text of signs is a ruler (`-----`) or punctuation (`, `), unless it is long and mixed.
  return separating <= Math.max(4, text.length / 2) || new Set(text).size === 1
}

/**
 * A text as a reader sees it: without characters that take no room (soft hyphens, zero width spaces, controls), and with
 * letters of full width and the like in their usual form. A secret that is written so is as readable as any other.
 */
export function asSeen(text: string): string {
  return isUsual(text) ? text : text.replace(unseen, '').normalize('NFKC')
}

/** Characters; a sentence or two. */
const longestPlain = 128
const mostNumbered = 3

const separators = /[^A-Za-z0-9\u00c0-\u024f]/

/** RFC 3339 and other texts that begin with a date and go on with a time. */
function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text)
}

/** `order`, `Order`, `ORDER`, `orderCreated`: letters in one case, or words that each begin with a capital. */
function isWord(word: string): boolean {
  if (word.length > longestWord) return false
  if (!/^[A-Za-z\u00c0-\u024f]+$/.test(word)) return false
  const humps = word.match(/[A-Z\u00c0-\u00de]?[a-z\u00df-\u024f]+|[A-Z\u00c0-\u00de]+(?![a-z\u00df-\u024f])/g) ?? []
  // Letters whose case changes every other time are not words.
  return (word.length >= humps.length * 3 || humps.length === 1) && !isRandomText(word)
}

const longestWord = 72

/** Years and small counts; longer rows of digits may be a PIN or a key. */
function isSmallNumber(word: string): boolean {
  return word.length <= 4 && /^\d+$/.test(word)
}

/** `v2`, `sha256`, `tenant15`, `eu1`; `10s`, `32MiB`, `2nd`. */
function isNumbered(word: string): boolean {
  return /^(?:[a-z]{1,12}|[A-Z][a-z]{1,12}|[A-Z]{1,8})\d{1,3}$|^\d{1,3}[A-Za-z]{1,3}$/.test(word)
}

/** True for most texts, and quick. */
function isUsual(text: string): boolean {
  return !/[^\t\n\r -~]/.test(text)
}

const unseen = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Cf}|\p{Default_Ignorable_Code_Point}/gu
