import type { RuleNotEvaluated } from '../compliance/compliance.ts'
import { count } from '../text/count.ts'

/** A rule that a replay could not evaluate, as a sentence. */
export function describeNotEvaluated({ rule, reason, projects }: RuleNotEvaluated): string {
  const where =
    projects === undefined
      ? ''
      : ` in some runs of ${projects.length === 1 ? projects[0] : count(projects.length, 'project')}`
  return `Not evaluated: ${rule}${where}: ${reason}.`
}
