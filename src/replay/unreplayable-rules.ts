import type { ConcludedProject } from '../audit/fleet-conclusion.ts'
import { namedRules, type Policy } from '../policy/policy.ts'
import type { Rule } from '../rules/engine/rule.ts'
import { releaseVulnerable } from '../rules/service/release-vulnerable.ts'

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

function reasonFor({ id, unrecorded, needs }: Rule, { probes }: Policy): string | undefined {
  if (id === releaseVulnerable.id) return 'a replay does not know which release was inferred at the time'
  if (unrecorded !== undefined)
    return `the history does not keep ${unrecorded.join(' and ')}, which change by themselves`
  if (needs.includes('probe') && probes.length > 0) return 'the probes of this policy did not run at the time'
  return undefined
}

/** Rules of some scopes that one scan of a past run cannot be asked, with the reason. */
export function findUnreplayableIn(policy: Policy, scopes: readonly (keyof typeof scanReasons)[]) {
  return namedRules(policy).flatMap(({ rule: { id, scope } }) => {
    const open = scopes.find((one) => one === scope)
    return open === undefined ? [] : [[id, scanReasons[open]] as const]
  })
}

/** Drift rules, where the policy at the time ignored fields that this one compares: their changes were not recorded. */
export function findDriftRules(policy: Policy) {
  const reason = 'the policy at the time ignored fields that this one compares, so their changes were not recorded'
  return namedRules(policy).flatMap(({ rule: { id, scope } }) => (scope === 'drift' ? [[id, reason] as const] : []))
}

const scanReasons = {
  drift: 'a replay does not compare with the baseline that was approved at the time',
  scan: 'the history keeps only the coverage of what a scan showed',
} as const satisfies Partial<Record<Rule['scope'], string>>

/** Gathers which rules could not be evaluated where. `everywhere`: those that cannot be evaluated in any run. */
export function gatherNotEvaluated(everywhere: ReadonlyMap<string, string>) {
  const projects = new Map<string, Map<string, Set<string>>>()
  return {
    add({ project, failures }: ConcludedProject): void {
      for (const [rule, reason] of Object.entries(failures)) {
        if (everywhere.has(rule)) continue
        const reasons = projects.get(rule) ?? new Map<string, Set<string>>()
        projects.set(rule, reasons.set(reason, (reasons.get(reason) ?? new Set()).add(project.name)))
      }
    },
    /** All of it, by rule. */
    list(): readonly UnreplayableRule[] {
      const somewhere = [...projects].flatMap(([rule, reasons]) =>
        [...reasons].map(([reason, names]): UnreplayableRule => ({ rule, reason, projects: [...names].sort() })),
      )
      const all = [...[...everywhere].map(([rule, reason]): UnreplayableRule => ({ rule, reason })), ...somewhere]
      return all.sort((a, b) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0))
    },
  }
}
