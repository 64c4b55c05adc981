import { toCoverage } from '../questions/as-of.ts'
import type { AnswerCoverage } from '../report/answer.ts'
import { isGap } from '../report/gaps.ts'
import { type Markup, nothing } from '../report/html/markup.ts'
import { showFailures } from '../report/html/show-coverage.ts'
import { showUnscanned } from '../report/html/show-unscanned.ts'
import { paths, type SiteLink } from './link.ts'
import type { SiteRequest } from './page.ts'
import { readProjectEvaluations, readScans } from './run-facts.ts'

/** What the last scans did not reach, with a link to the run whose page says why; nothing where they reached all. */
export function showGaps(coverage: readonly AnswerCoverage[], link: SiteLink): Markup {
  const href = linkToCoverage(coverage, link)
  return href === undefined ? nothing : showUnscanned({ coverage }, href)
}

/** The same of all projects. */
export async function showAllGaps(request: SiteRequest): Promise<Markup> {
  return showGaps((await readScans(request)).flatMap(toCoverage), request.link)
}

/** The coverage of the last run that left a gap among these walks; undefined where none did. */
export function linkToCoverage(coverage: readonly AnswerCoverage[], link: SiteLink): string | undefined {
  const run = coverage.filter(isGap).reduce((latest, walk) => Math.max(latest, walk.run), 0)
  return run === 0 ? undefined : `${link(paths.run(run))}#coverage`
}

/** Why walks were not complete, which listings that hit, and what to do: each cause once. */
export async function showCauses(request: SiteRequest, coverage: readonly AnswerCoverage[]): Promise<Markup> {
  const evaluations = [...(await readProjectEvaluations(request)).values()]
  const positions = evaluations.map(({ project, configuredAt }) => ({ project, configured_at: configuredAt }))
  return showFailures(coverage, positions)
}
