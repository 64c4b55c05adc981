import { messageOf } from '../model/errors.ts'
import type { EvaluationStats } from '../model/evaluation.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { Doubts } from './doubts.ts'
import { stamp, waiveUnder } from './findings.ts'
import { type FleetFacts, groupSharedFacts } from './fleet-facts.ts'
import { namedRules, type Policy } from './policy.ts'
import { ruleSets } from './rule-sets.ts'
import type { Labels } from './selector.ts'

export interface EvaluatedProject {
  readonly project: ProjectRef
  readonly labels: Labels
  readonly evaluation: EvaluationOutcome
}

export interface FleetFindings {
  readonly findings: readonly { readonly project: ProjectRef; readonly finding: Finding }[]
  /** Reasons of rules across projects that failed: they evaluated nothing in any project. */
  readonly failures: Readonly<Record<string, string>>
  /** Rules across projects that missed resources of a kind in some project. */
  readonly blurred: ReadonlySet<string>
  /** Indexes of the waivers that match these findings. */
  readonly usedWaivers: readonly number[]
}

/** What rules across projects find, from what the evaluation of each project left. `now`: start of the run. */
export function concludeFleetRules(projects: readonly EvaluatedProject[], policy: Policy, now: number): FleetFindings {
  const active = namedRules(policy).flatMap(({ rule, bound }) => (bound.scope === 'fleet' ? [{ rule, bound }] : []))
  const rules = new Map(active.map(({ rule, bound }) => [rule.id, bound]))
  const failures: Record<string, string> = {}
  const blurred = new Set<string>()
  for (const { evaluation } of projects) {
    for (const [rule, why] of Object.entries(evaluation.failures)) if (rules.has(rule)) failures[rule] ??= why
    for (const [rule, { kinds }] of Object.entries(evaluation.doubts)) {
      if (rules.has(rule) && kinds.length > 0) blurred.add(rule)
    }
  }
  const labels = new Map(projects.map(({ project, labels }) => [project.name, labels]))
  const sets = ruleSets(policy, ({ name }) => labels.get(name) ?? {})
  const gathered = projects.map(({ project, evaluation: { facts } }) => ({ project, facts }))
  const findings: { project: ProjectRef; finding: Finding }[] = []
  const used = new Set<number>()
  for (const { rule, bound } of active) {
    for (const alike of groupSharedFacts(rule.id, gathered)) {
      const factAt = new Map(alike.map((fact) => [fact.at, fact]))
      try {
        for (const problem of bound.conclude(alike, now)) {
          const { override = '', waivers = [], tentative = [] } = factAt.get(problem.at) ?? {}
          const active = sets.under(override).byId.get(rule.id)
          if (active === undefined) continue
          const found = stamp(active, problem.at, problem)
          const finding = tentative.includes(rule.id) ? { ...found, isTentative: true } : found
          const waived = waiveUnder(policy.waivers, waivers, finding, now)
          for (const index of waived.used) used.add(index)
          findings.push({ project: problem.at.project, finding: waived.finding })
        }
      } catch (error) {
        failures[rule.id] ??= messageOf(error)
      }
    }
  }
  return { findings, failures, blurred, usedWaivers: [...used] }
}

/** What the end of a run needs of a project's evaluation. Plain JSON, without secret values. */
export interface EvaluationOutcome extends EvaluationStats {
  /** Reasons of rules that could not evaluate here: without a finding they prove nothing. */
  readonly failures: Readonly<Record<string, string>>
  /** Rules that do not apply, with the feature that the service's licence does not have. */
  readonly notLicensed: Readonly<Record<string, string>>
  readonly doubts: Doubts
  /** Subscriptions of which no run has read the filter rows that a rule reads, by rule; `uids`: the first of them. */
  readonly rowsUnread: Readonly<Record<string, { readonly resources: number; readonly uids: readonly string[] }>>
  /** Indexes, in the policy's list, of waivers that match a finding. */
  readonly usedWaivers: readonly number[]
  readonly facts: FleetFacts
}

/** The outcome of a discarded project. */
export const nothingEvaluated: EvaluationOutcome = {
  resources: {},
  evaluated_by_rule: {},
  failures: {},
  notLicensed: {},
  doubts: {},
  rowsUnread: {},
  usedWaivers: [],
  facts: {},
}
