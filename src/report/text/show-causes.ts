import type { Report, ReportCause } from '../../model/report.ts'
import { wrapProse } from '../../text/columns.ts'
import { count } from '../../text/count.ts'
import { describeCause, describeFollowing } from '../describe-cause.ts'
import { fitEntries, type TextPage } from './page.ts'
import { showFields } from './show-drift.ts'

/** What happened once and hit many, and updates of several fields, in at most so many lines. */
export function showCauses({ causes }: Pick<Report, 'causes'>, page: TextPage, most: number): string[] {
  if (causes.length === 0) return []
  return [
    '',
    page.paint('heading', `Causes: ${count(causes.length, 'change')} behind many`),
    '',
    ...fitEntries(causes, page, { most: most - 3, show: (cause) => showCause(cause, page), command: 'causes' }),
  ]
}

const column = 'critical'.length

/** Its worst severity and what happened; its fields where they are several; what follows, and what puts it back. */
export function showCause(cause: ReportCause, page: TextPage): string[] {
  const { id, severity, change, fields, first_run } = cause
  const following = describeFollowing(cause)
  const indent = ' '.repeat(column + 2)
  const style = severity ?? change
  const [first = '', ...rest] = wrapProse(describeCause(cause), page.width - indent.length)
  const facts = [
    ...(following === '' ? [] : wrapProse(following, page.width - indent.length)),
    ...wrapProse(
      [
        ...(first_run === page.runNumber ? [] : [`since run ${first_run}`]),
        ...(page.locating === null ? [] : [`hookdrift restore --cause ${id}${page.locating}`]),
      ].join('; '),
      page.width - indent.length,
    ),
  ]
  return [
    `${page.paint(style, style.padEnd(column))}  ${first}`,
    ...rest.map((line) => `${indent}${line}`),
    ...(fields.length > 1 ? showFields(fields, page).map((line) => `      ${line}`) : []),
    ...facts.map((line) => page.paint('aside', `${indent}${line}`)),
  ]
}
