import type { Report } from '../../model/report.ts'
import { count } from '../../model/text/count.ts'
import { neutralise } from '../../model/text/neutralise.ts'
import { describeFailures, groupFailures } from '../describe-failures.ts'
import { shorten } from './shorten.ts'

/** The causes of incomplete walks for stderr: a line for each cause and each of its facts. */
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
