import { findCommittedRun } from '../history/sql/runs.ts'
import { toCoverageOfAll } from '../questions/as-of.ts'
import type { AnswerCoverage } from '../report/answer.ts'
import { isGap } from '../report/gaps.ts'
import { type Markup, nothing } from '../report/html/markup.ts'
import { showFailures } from '../report/html/show-coverage.ts'
import { showUnscanned } from '../report/html/show-unscanned.ts'
import { linkToProject, paths } from './link.ts'
import type { SiteRequest } from './page.ts'
import { readProjectEvaluations, readScans } from './run-facts.ts'

/** What the last scans did not reach, with a link to the run whose page says why; nothing where they reached all. */
export async function showGaps(request: GapsRequest, coverage: readonly AnswerCoverage[]): Promise<Markup> {
  const href = await linkToCoverage(request, coverage)
  return href === undefined ? nothing : showUnscanned({ coverage }, href)
}

type GapsRequest = Pick<SiteRequest, 'history' | 'link'>

/** The same of all projects. */
export async function showAllGaps(request: SiteRequest): Promise<Markup> {
  return showGaps(request, toCoverageOfAll(await readScans(request)))
}

/**
 * The coverage of the last run that left a gap among these walks, of its project where that run was pruned; undefined
 * where none did.
 */
export async function linkToCoverage(
  { history, link }: GapsRequest,
  coverage: readonly AnswerCoverage[],
): Promise<string | undefined> {
  const [first, ...others] = coverage.filter(isGap)
  if (first === undefined) return undefined
  const { run, project } = others.reduce((last, walk) => (walk.run > last.run ? walk : last), first)
  const isKept = (await findCommittedRun(history, run)) !== undefined
  return `${isKept ? link(paths.run(run)) : linkToProject(link, project)}#coverage`
}

/** Why walks were not complete, which listings that hit, and what to do: each cause once. */
export async function showCauses(request: SiteRequest, coverage: readonly AnswerCoverage[]): Promise<Markup> {
  const evaluations = [...(await readProjectEvaluations(request)).values()]
  const positions = evaluations.map(({ project, configured_at }) => ({ project, configured_at }))
  return showFailures(coverage, positions)
}
