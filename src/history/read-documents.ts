import type { EvaluatedRule, ProjectEvaluation } from '../model/evaluation.ts'

// Documents are never rewritten: a reader also takes the member names of earlier releases.

type StoredRule = Omit<EvaluatedRule, 'remediation'> & { readonly remediation?: string; readonly remedy?: string }

type StoredEvaluation = Pick<ProjectEvaluation, 'project' | 'labels' | 'resources'> &
  Partial<ProjectEvaluation> & {
    readonly fewer?: ProjectEvaluation['evaluatedByRule']
    readonly unjudged?: ProjectEvaluation['notEvaluated']
    readonly place?: ProjectEvaluation['configuredAt']
  }

/** The rules of a run, from the document that the run wrote. */
export function readRules(document: string | null): readonly EvaluatedRule[] {
  const stored: readonly StoredRule[] = JSON.parse(document ?? '[]')
  return stored.map(({ id, kind, title, remedy = '', remediation = remedy, severity, controls, needs }) => ({
    ...{ id, kind, title, remediation, severity, controls, needs },
  }))
}

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
