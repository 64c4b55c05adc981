import type { Unjudged } from '../../compliance/compliance.ts'
import type { ProjectRef } from '../../model/resource.ts'
import { namedRules, type Policy } from '../../policy/policy.ts'
import type { Rule } from '../../rules/engine/rule.ts'

/** Rules that no past run can be asked, with the reason. */
export function findLimits(policy: Policy): ReadonlyMap<string, string> {
  const limits = new Map<string, string>()
  for (const { rule } of namedRules(policy)) {
    const reason = reasonFor(rule, policy)
    if (reason !== undefined) limits.set(rule.id, reason)
  }
  return limits
}

function reasonFor({ unkept, needs }: Rule, { probes }: Policy): string | undefined {
  if (unkept !== undefined) return `${unkept.join(' and ')} change by themselves and are not kept`
  if (needs.includes('probe') && probes.length > 0) return 'the probes of this policy did not run then'
  return undefined
}

/** Reasons why rules of a kind cannot judge one look. */
export const scopeReasons = {
  drift: 'an approved baseline held, and what differed from it then is not replayed',
  scan: 'what the look came to is kept as coverage alone',
} as const satisfies Partial<Record<Rule['scope'], string>>

/** Gathers which rules could not judge where. */
export function gatherNotEvaluated(policy: Policy, limits: ReadonlyMap<string, string>) {
  const named = namedRules(policy).map(({ rule }) => rule)
  const projects = new Map<string, Map<string, Set<string>>>()
  const add = (rule: string, reason: string, { name }: ProjectRef) => {
    const reasons = projects.get(rule) ?? new Map<string, Set<string>>()
    projects.set(rule, reasons.set(reason, (reasons.get(reason) ?? new Set()).add(name)))
  }
  return {
    /** Of a look: what could not judge it, by rule. `scopes`: what that look leaves open. */
    note(
      project: ProjectRef,
      scopes: readonly (keyof typeof scopeReasons)[],
      failures: ReadonlyMap<string, string>,
    ): ReadonlyMap<string, string> {
      const unjudged = new Map([...limits, ...failures])
      for (const { id, scope } of named) {
        if (scopes.some((open) => open === scope)) unjudged.set(id, scopeReasons[scope === 'scan' ? 'scan' : 'drift'])
      }
      for (const [rule, reason] of unjudged) if (!limits.has(rule)) add(rule, reason, project)
      return unjudged
    },
    /** All of it, by rule. */
    list(): readonly Unjudged[] {
      const everywhere = [...limits].map(([rule, reason]): Unjudged => ({ rule, reason }))
      const somewhere = [...projects].flatMap(([rule, reasons]) =>
        [...reasons].map(([reason, names]): Unjudged => ({ rule, reason, projects: [...names].sort() })),
      )
      return [...everywhere, ...somewhere].sort((a, b) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0))
    },
  }
}
