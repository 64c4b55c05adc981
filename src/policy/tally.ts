import type { EvaluationStats } from '../model/evaluation.ts'
import type { Kind } from '../model/resource.ts'
import type { ActiveRule } from './policy.ts'

/** Rules that apply to some resources, by id. */
type Rules = ReadonlyMap<string, ActiveRule>

/** Evaluated resources of a project, by kind and by the rules that apply to them. */
export type Tally = Map<Rules, Partial<Record<Kind, number>>>

export function count(tally: Tally, rules: Rules, kind: Kind): void {
  const counts = tally.get(rules)
  if (counts === undefined) tally.set(rules, { [kind]: 1 })
  else counts[kind] = (counts[kind] ?? 0) + 1
}

/** `rules`: all rules of the policy that apply. `countDoubts`: how many of a kind a rule could not evaluate. */
export function countEvaluated(
  tally: Tally,
  rules: readonly ActiveRule[],
  countDoubts: (rule: string, kind: Kind) => number,
): Pick<EvaluationStats, 'resources' | 'evaluatedByRule'> {
  const resources: Partial<Record<Kind, number>> = {}
  for (const counts of tally.values()) {
    for (const [kind, number] of Object.entries(counts) as [Kind, number][]) {
      resources[kind] = (resources[kind] ?? 0) + number
    }
  }
  const evaluatedByRule: Record<string, number> = {}
  for (const { rule } of rules) {
    let evaluated = 0
    for (const [applied, counts] of tally) if (applied.has(rule.id)) evaluated += counts[rule.kind] ?? 0
    evaluated = Math.max(0, evaluated - countDoubts(rule.id, rule.kind))
    if (evaluated < (resources[rule.kind] ?? 0)) evaluatedByRule[rule.id] = evaluated
  }
  return { resources, evaluatedByRule }
}
