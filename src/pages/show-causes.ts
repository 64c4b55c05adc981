import type { AnswerCoverage } from '../report/answer.ts'
import type { Markup } from '../report/html/markup.ts'
import { showFailures } from '../report/html/show-coverage.ts'
import type { SiteRequest } from './page.ts'
import { readProjectEvaluations } from './run-facts.ts'

/** Why walks were not complete, which listings that hit, and what to do: each cause once. */
export async function showCauses(request: SiteRequest, coverage: readonly AnswerCoverage[]): Promise<Markup> {
  const evaluations = [...(await readProjectEvaluations(request)).values()]
  const places = evaluations.map(({ project, configuredAt }) => ({ project, configured_at: configuredAt }))
  return showFailures(coverage, places)
}
