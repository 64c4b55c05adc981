import { shownJson } from '../../../model/exact-number.ts'
import { isJsonObject, type Json } from '../../../model/json.ts'
import { shorten, shortenSeals } from '../../text/shorten.ts'
import { html, type Markup } from '../markup.ts'

/** A field before and after: a secret as its fingerprint, a program as the lines that differ, an object by member. */
export function fieldValues(before: Json, after: Json): readonly [before: Markup, after: Markup] {
  if (isProgram(before) && isProgram(after)) return linesThatDiffer(before, after)
  const [old, now] = [linesOf(before, ''), linesOf(after, '')]
  const cut = shortenSeals(...old, ...now)
  return [showLines(cut.slice(0, old.length)), showLines(cut.slice(old.length))]
}

/** A line for each member that is not an object itself. */
function linesOf(value: Json, path: string): readonly string[] {
  if (isJsonObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([name, member]) => linesOf(member, path === '' ? name : `${path}/${name}`))
  }
  return [path === '' ? textOf(value) : `${path}: ${textOf(value)}`]
}

function textOf(value: Json): string {
  if (value === null) return 'none'
  return typeof value === 'string' && value.startsWith('sealed:') ? `fingerprint ${value}` : shownJson(value)
}

function isProgram(value: Json): value is string {
  return typeof value === 'string' && value.includes('\n')
}

/** The lines between the common start and the common end. */
function linesThatDiffer(before: string, after: string): readonly [before: Markup, after: Markup] {
  const [oldText, nowText] = shortenSeals(before, after)
  const [old, now] = [oldText.split('\n'), nowText.split('\n')]
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start++
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  const between = (lines: readonly string[]) => {
    const shown = lines.slice(start, lines.length - end)
    const [from, to] = [start + 1, start + shown.length]
    const where = shown.length === 0 ? 'no line' : from === to ? `line ${from}` : `lines ${from} to ${to}`
    return html`<span class="soft">${where}</span><br>${showLines(shown)}`
  }
  return [between(old), between(now)]
}

const mostLines = 40
const longestLine = 2000

function showLines(lines: readonly string[]): Markup {
  const shown = lines.slice(0, mostLines).map((line, at) => {
    const text = shorten(line.replace('fingerprint sealed:', 'fingerprint '), longestLine)
    return at === 0 ? html`${text}` : html`<br>${text}`
  })
  const left = lines.length - shown.length
  return html`${shown}${left > 0 ? html`<br>… and ${left} more lines` : html``}`
}
