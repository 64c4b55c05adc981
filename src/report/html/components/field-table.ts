import type { FieldChange } from '../../../model/change.ts'
import { displayJson } from '../../../model/exact-number.ts'
import { isJsonObject, type Json } from '../../../model/json.ts'
import { count } from '../../../model/text/count.ts'
import type { CauseField } from '../../describe-cause.ts'
import { shorten, shortenSeals } from '../../text/shorten.ts'
import { html, type Markup, nothing } from '../markup.ts'
import { cell, table } from './table.ts'

/** Fields before and after; a replaced secret as its fingerprints. Nothing where no field changed. */
export function fieldTable(fields: readonly CauseField[]): Markup {
  const secret = secretChange(fields)
  const rest = fields.filter((field) => secret?.fields.includes(field) !== true)
  return html`${secret !== undefined && html`<p>${secret.sentence}</p>`}${showFields(rest)}`
}

function showFields(fields: readonly CauseField[]): Markup {
  if (fields.length === 0) return nothing
  return table('Fields', [{ title: 'Field' }, { title: 'Before' }, { title: 'After' }], fields.map(showField))
}

function showField({ path, before, after, lost }: CauseField): Markup {
  const [old, now] = fieldValues(before, after)
  return html`<tr><th scope="row"><code>${path}</code></th>${cell('Before', html`<del>${lost ?? old}</del>`)}${cell('After', html`<ins>${now}</ins>`)}</tr>
`
}

/** A field before and after: a secret as its fingerprint, a program as the lines that differ, an object by member. */
function fieldValues(before: Json, after: Json): readonly [before: Markup, after: Markup] {
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
  return typeof value === 'string' && value.startsWith('sealed:') ? `fingerprint ${value}` : displayJson(value)
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
    const differing = lines.slice(start, lines.length - end)
    const [from, to] = [start + 1, start + differing.length]
    const where = differing.length === 0 ? 'no line' : from === to ? `line ${from}` : `lines ${from} to ${to}`
    return html`<span class="soft">${where}</span><br>${showLines(differing)}`
  }
  return [between(old), between(now)]
}

const mostLines = 40

const longestLine = 2000

function showLines(lines: readonly string[]): Markup {
  const listed = lines.slice(0, mostLines).map((line, at) => {
    const text = shorten(line.replace('fingerprint sealed:', 'fingerprint '), longestLine)
    return at === 0 ? html`${text}` : html`<br>${text}`
  })
  const omitted = lines.length - listed.length
  return html`${listed}${omitted > 0 && html`<br>… and ${count(omitted, 'more line')}`}`
}

interface SecretChange {
  readonly sentence: string
  /** The field changes that it covers. */
  readonly fields: readonly FieldChange[]
}

const folder = '/secrets/'

/** A replaced signing secret, which the service shows as one that is gone and another that came. */
function secretChange(fields: readonly FieldChange[]): SecretChange | undefined {
  const secrets = fields.filter(({ path }) => path.startsWith(folder) && !path.includes('/', folder.length))
  const [gone, other] = secrets.filter(({ after }) => after === null)
  const [come, another] = secrets.filter(({ before }) => before === null)
  if (gone === undefined || come === undefined || other !== undefined || another !== undefined) return undefined
  const [before, after] = [readSecret(gone.before), readSecret(come.after)]
  if (before === undefined || after === undefined) return undefined
  const [old, now] = shortenSeals(before.seal, after.seal).map(fingerprintOf)
  const dates = `created ${before.created}, then ${after.created}`
  return { sentence: `Signing secret replaced: fingerprint ${old} → ${now} (${dates})`, fields: [gone, come] }
}

function readSecret(value: Json): { seal: string; created: string } | undefined {
  if (!isJsonObject(value)) return undefined
  const { value: seal, created_at: created } = value
  if (typeof seal !== 'string' || !seal.startsWith('sealed:') || typeof created !== 'string') return undefined
  return { seal, created: created.slice(0, 10) }
}

function fingerprintOf(seal: string): string {
  return seal.slice('sealed:'.length).replace('…', '')
}
