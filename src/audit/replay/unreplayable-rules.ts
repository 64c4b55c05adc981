import type { Gap } from '../../model/gap.ts'
import { namedRules, type Policy } from '../../policy/policy.ts'
import type { Rule } from '../../rules/engine/rule.ts'

/** A rule that a replay could not evaluate. */
export type UnreplayableRule = {
  readonly rule: string
  readonly reason: string
  /** In some of its runs; absent: everywhere. */
  readonly projects?: readonly string[]
}

/** Rules that no past run can be asked, with the reason. */
export function findUnreplayable(policy: Policy): ReadonlyMap<string, string> {
  const reasons = namedRules(policy).map(({ rule }) => [rule.id, reasonFor(rule, policy)] as const)
  return new Map(reasons.flatMap(([rule, reason]) => (reason === undefined ? [] : [[rule, reason] as const])))
}

function reasonFor({ scope, unrecorded, needs }: Rule, { probes }: Policy): string | undefined {
  if (scope === 'scan') return 'the history keeps only the coverage of what a scan showed'
  if (unrecorded !== undefined) return `${unrecorded.join(' and ')} are live values and are not recorded`
  if (needs.includes('probe') && probes.length > 0) return 'the probes of this policy did not run at the time'
  return undefined
}

/** Those, and the rules that failed in some runs; by rule. */
export function listNotEvaluated(
  everywhere: ReadonlyMap<string, string>,
  failed: readonly Gap[],
): readonly UnreplayableRule[] {
  const somewhere = Map.groupBy(failed, ({ rule, text }) => `${rule} ${text}`).values()
  const all: readonly UnreplayableRule[] = [
    ...[...everywhere].map(([rule, reason]) => ({ rule, reason })),
    ...[...somewhere].map((gaps) => ({
      rule: gaps[0]?.rule ?? '',
      reason: gaps[0]?.text ?? '',
      projects: [...new Set(gaps.map(({ project }) => project ?? ''))].sort(),
    })),
  ]
  return all.toSorted((a, b) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0))
}
