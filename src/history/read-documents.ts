import type { ProjectEvaluation } from '../model/evaluation.ts'
import { unknownPolicy } from '../model/policy-facts.ts'
import { unknownScope } from '../model/run-scope.ts'
import type { RunContext } from './records.ts'

// Documents are never rewritten: a reader also takes the member names of earlier releases.

type StoredEvaluation = Pick<ProjectEvaluation, 'project' | 'labels' | 'resources'> &
  Partial<ProjectEvaluation> & {
    readonly fewer?: ProjectEvaluation['evaluatedByRule']
    readonly unjudged?: ProjectEvaluation['notEvaluated']
    readonly place?: ProjectEvaluation['configuredAt']
  }

/**
 * The document of what few runs change: the rules in force, what the policy leaves out, and what the run was to cover. Runs
 * that agree on it share it.
 */
export type StableContext = Omit<RunContext, 'projects'>

/** What is in the document of a run; of a run without one, nothing is known. */
export function readStableContext(document: string | null): StableContext {
  const { rules = [], policy = unknownPolicy, scope = unknownScope }: StoredContext = JSON.parse(document ?? '{}')
  return { rules, policy, scope }
}

type StoredContext = Partial<StableContext>

/** The projects of a run, from the document that the run wrote. */
export function readProjects(document: string | null): readonly ProjectEvaluation[] {
  const stored: readonly StoredEvaluation[] = JSON.parse(document ?? '[]')
  return stored.map(({ fewer = {}, unjudged = {}, place = null, ...today }) => ({
    evaluatedByRule: fewer,
    notEvaluated: unjudged,
    configuredAt: place,
    ...today,
  }))
}
