import { isCoverageComplete } from '../../model/coverage.ts'
import { wrapProse } from '../../text/columns.ts'
import { count } from '../../text/count.ts'
import { neutralise } from '../../text/neutralise.ts'
import type { Answer, AnswerCoverage, AnswerRun } from '../answer.ts'
import type { TextPage } from './page.ts'
import { shorten } from './shorten.ts'
import { showTime } from './show-time.ts'

const mostShown = 5

/** As of when an answer is, and what was not seen by then: without it, rows mean nothing. */
export function showExtent({ run, coverage }: Pick<Answer<never>, 'run' | 'coverage'>, page: TextPage): string[] {
  if (run === null) return ['The history holds no sealed run.']
  const asOf = page.paint('aside', `As of run ${run.number}, ${showTime(run.started_at)}.`)
  return coverage === undefined ? [asOf] : [asOf, ...showWalks(coverage, run, page)]
}

function showWalks(coverage: readonly AnswerCoverage[], run: AnswerRun, page: TextPage): string[] {
  const walks = coverage.filter(({ status }) => status !== 'skipped')
  const incomplete = walks.filter(({ status }) => status !== 'complete')
  const earlier = new Map(coverage.filter((walk) => walk.run < run.number).map((walk) => [walk.project, walk.run]))
  const projects = new Set(coverage.map(({ project }) => project)).size
  const headline = isCoverageComplete(coverage)
    ? page.paint('good', `${count(walks.length, 'walk')} of ${count(projects, 'project')}, all complete.`)
    : page.paint('alarm', `INCOMPLETE LOOK: ${incomplete.length} of ${count(walks.length, 'walk')} not complete.`)
  const told = [
    ...incomplete.map(({ project, listing, status, reason }) => {
      return `${project} ${listing} ${status.toUpperCase()}: ${shorten(reason ?? 'no reason given', 300)}`
    }),
    ...[...earlier].map(([project, last]) => `${project} was last looked at by run ${last}`),
  ]
  const lines = told.slice(0, mostShown).flatMap((text) => {
    const [first = '', ...rest] = wrapProse(neutralise(text), page.width - 4)
    return [`  ${first}`, ...rest.map((line) => `    ${line}`)]
  })
  const left = told.length - mostShown
  return [headline, ...lines, ...(left > 0 ? [`  … and ${left} more; --format json shows all`] : [])]
}
