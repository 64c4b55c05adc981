import type { Report } from '../../model/report.ts'
import { wrapProse } from '../../text/columns.ts'
import { count } from '../../text/count.ts'
import { neutralise } from '../../text/neutralise.ts'
import { describeFailures, type FailureGroup, groupFailures } from '../describe-failures.ts'
import { showEntries, type TextPage } from './page.ts'
import { shorten } from './shorten.ts'

/** The causes of incomplete walks: one message each, with what was asked, what it cost, and what to do. */
export function showFailures({ coverage, projects }: Pick<Report, 'coverage' | 'projects'>, page: TextPage): string[] {
  return showEntries(groupFailures(coverage, projects), page, (group) => showGroup(group, page))
}

/** The same on stderr: a line for each cause and each of its facts. */
export function explainFailures({ coverage, projects }: Pick<Report, 'coverage' | 'projects'>): string[] {
  const groups = groupFailures(coverage, projects)
  const hidden = groups.length - mostExplained
  const lines = groups.slice(0, mostExplained).flatMap((group) => {
    const { headline, facts } = describeFailures(group)
    return [headline, ...facts.map(({ label, text }) => `  ${label.padEnd(7)}${text}`)].map(neutralise)
  })
  return hidden > 0 ? [...lines, `and ${count(hidden, 'more cause')}, see the report`] : lines
}

/** The first of them in one line, with where the URL or the key is configured; undefined where there is none. */
export function summariseFailures({ coverage, projects }: Pick<Report, 'coverage' | 'projects'>): string | undefined {
  const [first, ...others] = groupFailures(coverage, projects)
  if (first === undefined) return undefined
  const origin =
    first.urlOrigin === null ? first.keys.slice(0, 1).map((key) => `key ${key}`) : [`url ${first.urlOrigin}`]
  const more = others.length === 0 ? [] : [`${count(others.length, 'more cause')}`]
  const text = shorten(neutralise(describeFailures(first).headline), 300)
  return [`${text}${origin.length === 0 ? '' : ` (${neutralise(origin.join(''))})`}`, ...more]
    .join('; and ')
    .concat('.')
}

const mostExplained = 20

function showGroup(group: FailureGroup, page: TextPage): string[] {
  const { headline, facts } = describeFailures(group)
  const lines = wrapProse(shorten(neutralise(page.locate(headline)), 600), page.width - 2)
  return [
    ...lines.map((line) => `  ${page.paint('alarm', line)}`),
    ...facts.flatMap(({ label, text }) => showFact(label, shorten(neutralise(text), 600), page)),
  ]
}

function showFact(label: string, text: string, page: TextPage): string[] {
  const [first = '', ...rest] = wrapProse(text, page.width - 11)
  return [`    ${label.padEnd(7)}${first}`, ...rest.map((line) => `           ${line}`)]
}
