import type { FieldChange } from '../../model/change.ts'
import { displayJson, displayText, isExactNumber } from '../../model/exact-number.ts'
import type { Json } from '../../model/json.ts'
import { neutralise, neutraliseQuoted } from '../../model/text/neutralise.ts'
import { shortenSeals } from './shorten.ts'

/** Both values of a changed field, each of at most `columns` characters, cut so that the difference stays visible. */
export function showValues({ before, after }: FieldChange, columns: number): { before: string; after: string } {
  const [oldText, newText] = shortenSeals(textOf(before), textOf(after))
  const [old, now] = [bodyOf(before, oldText), bodyOf(after, newText)]
  const room = Math.max(12, columns - roomForLength)
  const start = startOfWindow(old.characters, now.characters, room)
  const show = (body: Body) => (fits(body, columns) ? showWhole(body) : showWindow(body, start, room))
  return { before: show(old), after: show(now) }
}

interface Body {
  readonly characters: readonly string[]
  /** Characters of the value before escaping. */
  readonly length: number
  readonly mark: '"' | ''
}

function textOf(value: Json): string {
  if (value === null) return 'none'
  return typeof value === 'string' ? displayText(value) : displayJson(value)
}

function bodyOf(value: Json, text: string): Body {
  const isText = typeof value === 'string' && !isExactNumber(value)
  const body = isText ? neutraliseQuoted(text) : neutralise(text)
  return { characters: [...body], length: [...text].length, mark: isText ? '"' : '' }
}

/** Room for the marks, two `…` and the length. */
const roomForLength = 26

function fits({ characters, mark }: Body, columns: number): boolean {
  return characters.length + 2 * mark.length <= columns
}

function showWhole({ characters, mark }: Body): string {
  return `${mark}${characters.join('')}${mark}`
}

function showWindow({ characters, length, mark }: Body, start: number, room: number): string {
  const end = start + room
  const text = characters.slice(start, end).join('')
  return `${start > 0 ? '…' : ''}${mark}${text}${mark}${end < characters.length ? '…' : ''} (${length} characters)`
}

/** 0 where the beginning shows the difference, else some characters before the difference. */
function startOfWindow(a: readonly string[], b: readonly string[], room: number): number {
  const same = lengthOfCommonStart(a, b)
  if (same < room - 4) return 0
  return Math.max(0, Math.min(same - (room >> 2), Math.max(a.length, b.length) - room))
}

function lengthOfCommonStart(a: readonly string[], b: readonly string[]): number {
  const shorter = Math.min(a.length, b.length)
  for (let at = 0; at < shorter; at++) if (a[at] !== b[at]) return at
  return shorter
}
