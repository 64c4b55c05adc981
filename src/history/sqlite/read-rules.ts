import type { EvaluatedRule } from '../../model/evaluation.ts'

/** Earlier releases stored the remediation as `remedy`, and documents are never rewritten. */
type StoredRule = Omit<EvaluatedRule, 'remediation'> & { readonly remediation?: string; readonly remedy?: string }

/** The rules of a run, from the document that the run wrote. */
export function readRules(document: string): readonly EvaluatedRule[] {
  const stored: readonly StoredRule[] = JSON.parse(document)
  return stored.map(({ id, kind, title, remedy = '', remediation = remedy, severity, controls, needs }) => ({
    ...{ id, kind, title, remediation, severity, controls, needs },
  }))
}
