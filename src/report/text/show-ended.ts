import type { ReportViolation } from '../../model/report.ts'
import type { AcceptedViolation } from '../../model/violation.ts'
import { padColumns, wrapPieces, wrapProse } from '../../text/columns.ts'
import { count } from '../../text/count.ts'
import { neutralise, quote } from '../../text/neutralise.ts'
import { countEndings, nameEnding } from '../describe-ending.ts'
import { worstFirst } from '../group-by.ts'
import { fitEntries, type TextPage } from './page.ts'
import { shorten } from './shorten.ts'
import { showResource } from './show-resource.ts'
import { describeWaiver } from './show-violation.ts'

/** Each with its ending: fixed, or who or what ended it. */
export function showEnded(ended: readonly ReportViolation[], page: TextPage, most: number): string[] {
  if (ended.length === 0) return []
  const heading = shorten(neutralise(`Ended: ${ended.length} (${countEndings(ended)})`), 600)
  const headings = wrapProse(heading, page.width).map((line) => page.paint('heading', line))
  return [
    '',
    ...headings,
    ...fitEntries(ended, page, {
      most: most - 1 - headings.length,
      show: (violation) => showOne(violation, page),
      command: `violations --resolved --since ${page.runNumber}`,
    }),
  ]
}

/** By waiver: who accepted what, until when and why, then the violations. */
export function showWaived(waived: readonly ReportViolation[], page: TextPage, most: number): string[] {
  if (waived.length === 0) return []
  const groups = [...Map.groupBy(worstFirst(waived), ({ waiver }) => JSON.stringify(waiver ?? null)).values()]
  return [
    '',
    page.paint('heading', `Waived: ${count(waived.length, 'violation')}, accepted by the policy`),
    ...fitEntries(groups, page, {
      most: most - 2,
      show: (group) => [
        ...(group[0] === undefined ? [] : describeWaiver(group[0])).flatMap((text) =>
          wrapProse(text, page.width - 2).map((line) => `  ${line}`),
        ),
        ...fitEntries(group, page, {
          most: page.full ? Number.POSITIVE_INFINITY : 5,
          show: (violation) => showOne(violation, page),
          command: 'violations --waived',
        }).map((line) => `  ${line}`),
      ],
      command: 'violations --waived',
    }),
  ]
}

/** What people accepted in the history: who, when and why. */
export function showAccepted(accepted: readonly AcceptedViolation[], page: TextPage, most: number): string[] {
  if (accepted.length === 0) return []
  return [
    '',
    page.paint('heading', `Accepted before: ${count(accepted.length, 'violation')}, by people`),
    ...fitEntries(accepted, page, {
      most: most - 2,
      show: ({ rule, project, name, uid, reason, by, at }) => {
        const resource = name === '' ? shorten(neutralise(uid), 64) : quote(shorten(name, 60))
        const why = shorten(neutralise(`by ${by}, ${at.slice(0, 10)}: ${reason}`), 300)
        const text = `${neutralise(rule)} of ${neutralise(project)} ${resource}, ${why}`
        return wrapProse(text, page.width - 4).map((line, number) => `${number === 0 ? '  ' : '      '}${line}`)
      },
      command: 'accept --list',
    }),
  ]
}

/** On one line where it fits. */
function showOne({ severity, rule, ...resource }: ReportViolation, page: TextPage): string[] {
  const cause = resource.resolution === null ? [] : [`(${nameEnding(resource)})`]
  const [first = '', ...rest] = wrapPieces([neutralise(rule), ...showResource(resource), ...cause], page.width - 16)
  return [
    `  ${page.paint('aside', padColumns(severity, 'critical'.length))}  ${first}`,
    ...rest.map((line) => `            ${line}`),
  ]
}
