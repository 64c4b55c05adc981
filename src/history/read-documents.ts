import type { EvaluatedRule, ProjectEvaluation } from '../model/evaluation.ts'

/** The rules of a run, from the document that the run wrote; none before it wrote one. */
export function readRules(document: string | null): readonly EvaluatedRule[] {
  return JSON.parse(document ?? '[]')
}

/** The projects of a run, from the document that the run wrote; none before it wrote one. */
export function readProjects(document: string | null): readonly ProjectEvaluation[] {
  return JSON.parse(document ?? '[]')
}
