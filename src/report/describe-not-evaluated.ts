import type { RuleNotEvaluated } from '../compliance/compliance.ts'
import { count } from '../text/count.ts'

/** The rules that a replay could not evaluate: a sentence for each reason. */
export function describeNotEvaluated(rules: readonly RuleNotEvaluated[]): readonly string[] {
  const alike = Map.groupBy(rules, ({ reason, projects }) => `${whereOf(projects)}: ${reason}.`)
  return [...alike].map(([why, of]) => `Not evaluated: ${of.map(({ rule }) => rule).join(', ')}${why}`)
}

function whereOf(projects: RuleNotEvaluated['projects']): string {
  if (projects === undefined) return ''
  return ` in some runs of ${projects.length === 1 ? projects[0] : count(projects.length, 'project')}`
}
