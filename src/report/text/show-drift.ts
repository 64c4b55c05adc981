import type { ChangeType } from '../../model/change.ts'
import type { Note } from '../../model/note.ts'
import type { ReportChange, ReportDrift } from '../../model/report.ts'
import { padColumns, widthOf, wrapPieces, wrapProse } from '../../text/columns.ts'
import { count } from '../../text/count.ts'
import { neutralise } from '../../text/neutralise.ts'
import type { CauseField } from '../describe-cause.ts'
import { describeNotes, notesNamed, timesOf } from '../describe-notes.ts'
import type { TextPage } from './page.ts'
import { shorten } from './shorten.ts'
import { showResource } from './show-resource.ts'
import { showValues } from './show-values.ts'

const signs = { added: '+', removed: '-', modified: '~' } as const satisfies Record<ChangeType, string>
const indent = '    '
const widestPath = 32
const mostFields = 20
const mostReferrers = 5

export function showChange(change: ReportChange, page: TextPage): string[] {
  const label = `${signs[change.change]} ${change.change}`.padEnd('~ modified'.length)
  const [first = '', ...rest] = wrapPieces(showResource(change), page.width - label.length - 2)
  return [
    `${page.paint(change.change, label)}  ${first}`,
    ...rest.map((line) => `${' '.repeat(label.length + 2)}${line}`),
    ...showFields(change.fields, page),
    ...showReferrers(change.referrers ?? [], page),
  ]
}

/** What people did while some changes came about, in one sentence; no lines without notes. */
export function showNotes(
  changes: readonly Pick<ReportDrift, 'notes' | 'between'>[],
  notes: readonly Note[],
  page: TextPage,
): string[] {
  return showAside(describeNotes(notesNamed(changes, notes), timesOf(changes)), page)
}

function showAside(text: string, page: TextPage): string[] {
  if (text === '') return []
  return wrapProse(neutralise(text), page.width - indent.length).map((line) => page.paint('aside', `${indent}${line}`))
}

export function showFields(fields: readonly CauseField[], page: TextPage): string[] {
  const listed = fields.slice(0, mostFields)
  const omitted = fields.length - listed.length
  const paths = listed.map(({ path }) => shorten(neutralise(path), 120))
  const column = Math.max(0, ...paths.map(widthOf).filter((width) => width <= widestPath))
  const lines = listed.flatMap((field, at) => showField(paths[at] ?? '', field, column, page))
  return omitted === 0 ? lines : [...lines, page.paint('aside', `${indent}… and ${count(omitted, 'more field')}`)]
}

/** One line where it fits, else the path and a line for each value. */
function showField(path: string, field: CauseField, column: number, page: TextPage): string[] {
  const { before: shown, after } = showValues(field, page.width - indent.length - 4)
  const before = field.lost ?? shown
  const line = `${indent}${padColumns(path, column)}  ${before} → ${after}`
  if (widthOf(line) <= page.width) return [line]
  return [`${indent}${path}`, `${indent}    ${before}`, `${indent}  → ${after}`]
}

function showReferrers(referrers: readonly string[], page: TextPage): string[] {
  if (referrers.length === 0) return []
  const uids = referrers.slice(0, mostReferrers).map((uid) => shorten(neutralise(uid), 64))
  const omitted = referrers.length - uids.length
  const pieces = uids.map((uid, at) => (at < uids.length - 1 ? `${uid},` : uid))
  const used = `used by ${count(referrers.length, 'subscription')}:`
  return wrapPieces(
    [used, ...pieces, ...(omitted === 0 ? [] : [`and ${omitted} more`])],
    page.width - indent.length,
  ).map((line) => page.paint('aside', `${indent}${line}`))
}
