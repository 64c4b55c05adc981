import { type ChangeType, changeTypes } from '../../model/change.ts'
import type { Note } from '../../model/note.ts'
import type { Report, ReportChange, ReportDrift } from '../../model/report.ts'
import { padColumns, widthOf, wrapPieces, wrapProse } from '../../text/columns.ts'
import { count, countEach } from '../../text/count.ts'
import { neutralise } from '../../text/neutralise.ts'
import { type CauseField, describeRepairs } from '../describe-cause.ts'
import { describeNotes, notesNamed, timesOf } from '../describe-notes.ts'
import { describeWindows } from '../describe-window.ts'
import { describeFirstScans, describeNoDrift } from '../gaps.ts'
import { fitEntries, type TextPage } from './page.ts'
import { shorten } from './shorten.ts'
import { nameResource, showResource } from './show-resource.ts'
import { showValues } from './show-values.ts'

/** What changed since the last complete scan, a line for each field, in at most so many lines. */
export function showDrift(
  report: Pick<Report, 'drift' | 'notes' | 'causes' | 'coverage' | 'projects' | 'notices'>,
  page: TextPage,
  most: number,
): string[] {
  const { drift, causes } = report
  const showWhole = (change: ReportDrift) => [
    ...showChange(change, page),
    ...showAside(describeRepairs(change), page),
    ...showMeanwhile([change], report, page),
  ]
  const besides = !page.full && causes.length > 0 ? ', besides these causes' : ''
  const first = neutralise(describeFirstScans(report))
  const none = drift.length === 0 ? describeNoDrift(report) : ''
  const lines = [none, first].filter((line) => line !== '').flatMap((line) => wrapProse(line, page.width))
  const opening = lines.length === 0 ? [] : ['', ...lines]
  if (drift.length === 0) return opening
  const counts = { added: 0, removed: 0, modified: 0 } satisfies Record<ChangeType, number>
  for (const { change } of drift) counts[change] += 1
  const title = `Changed since the last complete scan${besides}: ${countEach(changeTypes, counts)}`
  const heading = wrapProse(title, page.width).map((line) => page.paint('heading', line))
  const room = most - opening.length - heading.length - 2
  const isWhole = drift.length <= room && drift.flatMap(showWhole).length <= room
  const isShown = isWhole || page.full
  const between = isShown ? [] : showMeanwhile(drift, report, page)
  return [
    ...opening,
    '',
    ...heading,
    '',
    ...between,
    ...fitEntries(drift, page, {
      most: room - between.length,
      show: (change) => (isShown ? showWhole(change) : nameChange(change, page)),
    }),
  ]
}

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

/** The change windows that some changes may have been made in, and what people did meanwhile; no lines without either. */
export function showMeanwhile(
  changes: readonly Pick<ReportDrift, 'project' | 'notes' | 'between'>[],
  { notes, projects }: Pick<Report, 'notes' | 'projects'>,
  page: TextPage,
): string[] {
  return [...showAside(describeWindows(changes, projects), page), ...showNotes(changes, notes, page)]
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

/** On one line, for a screen without room for the fields. */
function nameChange({ change, fields, ...resource }: ReportChange, page: TextPage): string[] {
  const label = `${signs[change]} ${change}`.padEnd('~ modified'.length)
  const identity = [
    neutralise(resource.project),
    neutralise(resource.kind),
    nameResource(resource, resource.name !== ''),
  ]
  const size = fields.length === 0 ? [] : [`(${count(fields.length, 'field')})`]
  const [first = ''] = wrapPieces([...identity, ...size], page.width - label.length - 2)
  return [`${page.paint(change, label)}  ${first}`]
}

export function showFields(fields: readonly CauseField[], page: TextPage): string[] {
  const listed = page.full ? fields : fields.slice(0, mostFields)
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
