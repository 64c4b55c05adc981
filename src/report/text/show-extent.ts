import { isCoverageComplete } from '../../model/coverage.ts'
import { wrapProse } from '../../text/columns.ts'
import { count } from '../../text/count.ts'
import { neutralise } from '../../text/neutralise.ts'
import type { Answer, AnswerCoverage, AnswerRun } from '../answer.ts'
import { describeFailures, groupFailures } from '../describe-failures.ts'
import { listingWalks } from '../gaps.ts'
import type { TextPage } from './page.ts'
import { shorten } from './shorten.ts'
import { showTime } from './show-time.ts'

const mostShown = 5

/** The run that an answer is as of, and its gaps: without them, the rows mean nothing. */
export function showExtent({ run, coverage }: Pick<Answer<never>, 'run' | 'coverage'>, page: TextPage): string[] {
  if (run === null) return ['The history has no committed run.']
  const asOf = page.paint('aside', `As of run ${run.number}, ${showTime(run.started_at)}.`)
  return coverage === undefined ? [asOf] : [asOf, ...showWalks(coverage, run, page)]
}

function showWalks(coverage: readonly AnswerCoverage[], run: AnswerRun, page: TextPage): string[] {
  const walks = coverage.filter(({ status }) => status !== 'skipped')
  const incomplete = walks.filter(({ status }) => status !== 'complete')
  const ofProjects = listingWalks(coverage)
  // A list is read again only where something is open for it.
  const earlier = new Map(ofProjects.filter((walk) => walk.run < run.number).map((walk) => [walk.project, walk.run]))
  const projects = new Set(ofProjects.map(({ project }) => project)).size
  const headline = isCoverageComplete(coverage)
    ? page.paint('good', `${count(walks.length, 'walk')} of ${count(projects, 'project')}, all complete.`)
    : page.paint('alarm', `INCOMPLETE SCAN: ${incomplete.length} of ${count(walks.length, 'walk')} not complete.`)
  const remarks = [
    ...groupFailures(coverage, []).map((group) => {
      const { headline, cost } = describeFailures(group)
      return `${shorten(headline, 300)} (${cost})`
    }),
    ...[...earlier].map(([project, last]) => `${project} was last scanned by run ${last}`),
  ]
  const lines = remarks.slice(0, mostShown).flatMap((text) => {
    const [first = '', ...rest] = wrapProse(neutralise(text), page.width - 4)
    return [`  ${first}`, ...rest.map((line) => `    ${line}`)]
  })
  const left = remarks.length - mostShown
  return [headline, ...lines, ...(left > 0 ? [`  … and ${left} more; --format json shows all`] : [])]
}
