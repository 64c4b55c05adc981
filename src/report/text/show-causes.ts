import type { Report, ReportCause } from '../../model/report.ts'
import { wrapProse } from '../../text/columns.ts'
import { count } from '../../text/count.ts'
import { describeCause, describeFollowing, fieldsOfCause } from '../describe-cause.ts'
import { changesOfCause } from '../describe-notes.ts'
import { showOmitted, type TextPage } from './page.ts'
import { showFields, showMeanwhile } from './show-drift.ts'

/** So many are named on a screen; what follows from the others is listed one by one. */
const mostNamed = 8
/** So many have their fields, too. */
const mostWithFields = 3

/** The causes that a report names, the worst first. */
export function namedCauses(
  { causes }: Pick<Report, 'causes'>,
  { full }: Pick<TextPage, 'full'>,
): readonly ReportCause[] {
  return full ? causes : causes.slice(0, mostNamed)
}

/** What happened once and hit many, and updates of several fields. */
export function showCauses(
  report: Pick<Report, 'run' | 'causes' | 'drift' | 'notes' | 'projects'>,
  page: TextPage,
): string[] {
  const { causes } = report
  const named = namedCauses(report, page)
  if (named.length === 0) return []
  const following = causes.reduce((sum, { violations }) => sum + violations.length, 0)
  const what = `${count(following, 'violation')} that ${following === 1 ? 'follows' : 'follow'}`
  const fresh = causes.filter(({ first_run: run }) => run === page.runNumber).length
  const when = fresh === causes.length ? '' : fresh === 0 ? ' of earlier runs' : ` (${fresh} of this run)`
  const hasFields = page.full || causes.length <= mostWithFields
  const omitted = causes.length - named.length
  return [
    '',
    page.paint('heading', `Causes: ${count(causes.length, 'change')}${when}, and ${what}`),
    ...named.flatMap((cause) => [
      '',
      ...showCause(cause, page, hasFields),
      ...showMeanwhile(changesOfCause(cause, report), report, page).map((line) => `      ${line}`),
    ]),
    ...(omitted === 0 ? [] : ['', showOmitted(omitted, page, 'causes')]),
  ]
}

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
