import type { ReportCause } from '../../model/report.ts'
import { wrapProse } from '../../text/columns.ts'
import { describeCause, describeFollowing, fieldsOfCause } from '../describe-cause.ts'
import type { TextPage } from './page.ts'
import { showFields } from './show-drift.ts'

const column = 'critical'.length

/** Its worst severity and what happened; its fields where they are several; what follows, and what puts it back. */
export function showCause(cause: ReportCause, page: TextPage, hasFields = true): string[] {
  const { id, severity, fields, first_run } = cause
  const indent = ' '.repeat(column + 2)
  const [first = '', ...rest] = wrapProse(describeCause(cause), page.width - indent.length)
  const since = first_run === page.runNumber ? '' : `, since run ${first_run}`
  const facts = [
    `Follows: ${describeFollowing(cause)}${since}`,
    ...(page.locating === null ? [] : [`Put back: hookdrift restore --cause ${id}${page.locating}`]),
  ]
  return [
    `${page.paint(severity, severity.padEnd(column))}  ${first}`,
    ...rest.map((line) => `${indent}${line}`),
    ...(hasFields && fields.length > 1 ? showFields(fieldsOfCause(cause), page).map((line) => `      ${line}`) : []),
    ...facts
      .flatMap((fact) => wrapProse(fact, page.width - indent.length))
      .map((line) => page.paint('aside', `${indent}${line}`)),
  ]
}
