import type { ProjectEvaluation } from '../model/evaluation.ts'
import { unknownPolicy } from '../model/policy-facts.ts'
import { unknownScope } from '../model/run-scope.ts'
import type { RunContext } from './records.ts'

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

/** The projects of a run, from the document that the run wrote; none before it wrote one. */
export function readProjects(document: string | null): readonly ProjectEvaluation[] {
  return JSON.parse(document ?? '[]')
}
