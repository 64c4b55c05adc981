import type { ReportViolation } from '../../model/report.ts'
import { isOverdue } from '../../model/violation.ts'
import { padColumns, widthOf, wrapProse } from '../../text/columns.ts'
import { neutralise } from '../../text/neutralise.ts'
import { cutColumns } from '../../text/table.ts'
import { describeDue } from '../describe-due.ts'
import type { Grouping } from '../group-by.ts'
import type { TextPage } from './page.ts'
import { shortFingerprint } from './short-fingerprint.ts'
import { shorten, shortenSeals } from './shorten.ts'
import { nameResource } from './show-resource.ts'

/** Columns of a line about a violation; those that the heading of the group says are left out. */
const columns = {
  fingerprint: { inHeadingOf: [], widest: 8 },
  severity: { inHeadingOf: ['rule'], widest: 8 },
  rule: { inHeadingOf: ['rule'], widest: 40 },
  project: { inHeadingOf: ['project', 'resource'], widest: 32 },
  resource: { inHeadingOf: ['resource'], widest: 48 },
  owner: { inHeadingOf: ['owner', 'resource'], widest: 26 },
  since: { inHeadingOf: [], widest: 24 },
  due: { inHeadingOf: [], widest: 18 },
} as const satisfies Record<string, { inHeadingOf: readonly Grouping[]; widest: number }>

type ColumnName = keyof typeof columns

const indent = '  '
const narrowestMessage = 24

/**
 * One line for each violation, its message last: cut to the width, or wrapped where the page is shown whole. The message
 * of a single violation that this run opened has a line of its own where it would be cut.
 */
export function layRows(
  violations: readonly ReportViolation[],
  page: TextPage,
  { describe, omit = [] }: { describe: (violation: ReportViolation) => string; omit?: readonly ColumnName[] },
): string[] {
  const shown = (Object.keys(columns) as ColumnName[]).filter(
    (name) => !omit.includes(name) && !columns[name].inHeadingOf.some((grouping) => grouping === page.groupBy),
  )
  const isClear = areNamesClear(violations) && !page.full
  const cells = violations.map((violation) => shown.map((name) => cellOf(name, violation, { describe, isClear, page })))
  const widths = shown.map((name, at) => {
    const widest = cells.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), 0)
    return page.full ? widest : Math.min(widest, columns[name].widest)
  })
  if (!page.full) shrink(widths, page.width - indent.length)
  const mayCut = violations.length > 1 || violations[0]?.state !== 'opened'
  return violations.flatMap((violation, at) => {
    const row = (cells[at] ?? []).flatMap((cell, column) => {
      const width = widths[column] ?? 0
      if (width === 0) return []
      const padded = padColumns(cutColumns(cell, width), width)
      if (shown[column] === 'severity') return [page.paint(violation.severity, padded)]
      return [shown[column] === 'due' && isLate(violation, page) ? page.paint('alarm', padded) : padded]
    })
    const used = widths.reduce((sum, width) => sum + (width === 0 ? 0 : width + indent.length), 0)
    const line = `${indent}${row.join(indent)}`
    return withMessage(line, violation, { page, room: page.width - used - indent.length, mayCut })
  })
}

interface MessageRoom {
  readonly page: TextPage
  /** Columns that the line leaves. */
  readonly room: number
  /** Whether the message may lose its end to stay on the line. */
  readonly mayCut: boolean
}

function withMessage(line: string, { message: text }: ReportViolation, { page, room, mayCut }: MessageRoom): string[] {
  const [shortened] = shortenSeals(text)
  const message = neutralise(shorten(shortened, 600))
  if (widthOf(message) + indent.length <= room) return [`${line}${indent}${message}`]
  if (!page.wraps) {
    return mayCut && room >= narrowestMessage
      ? [`${line}${indent}${cutColumns(message, room - indent.length)}`]
      : [line.trimEnd(), `      ${cutColumns(message, page.width - 6)}`]
  }
  return [line.trimEnd(), ...wrapProse(message, page.width - 6).map((part) => `      ${part}`)]
}

const narrowestColumn = 10

/** Narrows the widest column, one by one, until a line without its message fits or no column can be narrower. */
function shrink(widths: number[], width: number): void {
  const total = () => widths.reduce((sum, each) => sum + (each === 0 ? 0 : each + indent.length), 0) - indent.length
  while (total() > width) {
    const widest = Math.max(...widths)
    if (widest <= narrowestColumn) return
    widths[widths.indexOf(widest)] = widest - 1
  }
}

interface CellContext {
  readonly describe: (violation: ReportViolation) => string
  /** Whether the name alone says which resource it is. */
  readonly isClear: boolean
  readonly page: TextPage
}

function cellOf(name: ColumnName, violation: ReportViolation, { describe, isClear, page }: CellContext): string {
  if (name === 'resource') return nameResource(violation, isClear)
  if (name === 'since') return describe(violation)
  if (name === 'fingerprint') return shortFingerprint(violation.fingerprint)
  if (name === 'due') return describeDue(violation, page.at)
  if (name === 'owner') return violation.owner === null ? '' : `owner ${shorten(neutralise(violation.owner), 40)}`
  return neutralise(violation[name])
}

function isLate(violation: ReportViolation, { at }: TextPage): boolean {
  return isOverdue(violation, Date.parse(at))
}

/** Whether every resource here has a name of its own. */
function areNamesClear(violations: readonly ReportViolation[]): boolean {
  const uids = new Map<string, string>()
  return violations.every(({ project, kind, name, uid }) => {
    const key = JSON.stringify([project, kind, name])
    const known = uids.get(key) ?? uid
    uids.set(key, known)
    return name !== '' && known === uid
  })
}
