import type { EvaluatedRule } from '../model/evaluation.ts'

/** Rules as a run kept them: JSON text, null for runs before schema 2. Earlier versions called `remediation` `remedy`. */
export function readStoredRules(text: string | null): EvaluatedRule[] {
  const rules = JSON.parse(text ?? '[]') as (EvaluatedRule & { readonly remedy?: string })[]
  return rules.map(({ remedy, ...rule }) => ({ ...rule, remediation: rule.remediation ?? remedy ?? '' }))
}
