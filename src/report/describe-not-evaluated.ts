import type { Unjudged } from '../compliance/compliance.ts'
import { count } from '../text/count.ts'

/** What a replay could not judge, as a sentence. */
export function describeNotEvaluated({ rule, reason, projects }: Unjudged): string {
  const where =
    projects === undefined
      ? ''
      : ` in some runs of ${projects.length === 1 ? projects[0] : count(projects.length, 'project')}`
  return `Not judged: ${rule}${where}: ${reason}.`
}
