import type { RunContext } from '../history/records.ts'
import { resourceKey } from '../model/keys.ts'
import type { Kind, ProjectRef } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import { concludeFleetRules, type FleetFindings } from '../policy/conclude-fleet-rules.ts'
import { readDoubts } from '../policy/doubts.ts'
import type { Policy } from '../policy/policy.ts'
import { type RuleNeeds, ruleNeeds } from '../policy/rule-needs.ts'
import { describeContext } from './describe-context.ts'
import { evaluateWaivers } from './evaluate-waivers.ts'
import { isWhole, type ProjectOutcome } from './project-outcome.ts'
import { isKindComplete } from './project-scan.ts'
import type { Criteria } from './reconcile.ts'

export interface Fleet {
  readonly policy: Policy
  /** Whether every configured project was scanned: what spans the fleet needs to see it whole. */
  readonly isWholeFleet: boolean
  /** Start of the run, in milliseconds since the epoch. */
  readonly now: number
}

/** What is found at the end of a run, to be reconciled with the violations of a project. */
export interface Concluded {
  readonly project: ProjectRef
  readonly findings: readonly Finding[]
  readonly criteria: Criteria
}

export interface ConcludedProject extends Concluded {
  /** Rules that could not evaluate the project, and why. */
  readonly failures: Readonly<Record<string, string>>
}

export interface FleetConclusion {
  /** What rules across projects found, by project, in the configured order. */
  readonly projects: readonly ConcludedProject[]
  /** What rules say of the policy's waivers. */
  readonly waivers: Concluded
  readonly context: RunContext
}

/** Concludes a run from what its projects left: from these values and nothing else. */
export function concludeFleet(outcomes: readonly ProjectOutcome[], fleet: Fleet): FleetConclusion {
  const { policy, isWholeFleet, now } = fleet
  const needs = ruleNeeds(policy)
  const found = concludeFleetRules(policy, outcomes, now)
  const findings = Map.groupBy(found.findings, ({ project }) => project.name)
  const isFleetWhole = (kind: Kind) => isWholeFleet && outcomes.every((outcome) => isWhole(outcome, kind))
  const failuresIn = ({ evaluation }: ProjectOutcome) => ({ ...found.failures, ...evaluation.failures })
  return {
    projects: outcomes.map((outcome) => ({
      project: outcome.project,
      findings: (findings.get(outcome.project.name) ?? []).map(({ finding }) => finding),
      criteria: criteriaFor(outcome, { needs, isFleetWhole, ...found }),
      failures: failuresIn(outcome),
    })),
    waivers: evaluateWaivers(outcomes, { ...fleet, found }),
    context: describeContext(
      policy,
      outcomes.map((outcome) => {
        const { project, labels, place, evaluation } = outcome
        const { resources, fewer } = evaluation
        return { project: project.name, labels, place, resources, fewer, unjudged: failuresIn(outcome) }
      }),
    ),
  }
}

interface FleetCriteria extends Pick<FleetFindings, 'failures' | 'blurred'> {
  readonly needs: RuleNeeds
  isFleetWhole(kind: Kind): boolean
}

function criteriaFor(outcome: ProjectOutcome, { needs, isFleetWhole, failures, blurred }: FleetCriteria): Criteria {
  const { statuses, unobserved, untested, evaluation } = outcome
  const isComplete = (kind: Kind) => isKindComplete(statuses, kind)
  const doubts = readDoubts(evaluation.doubts, blurred)
  const unseen = new Set(unobserved)
  const untried = new Set(untested)
  const needsProbes = (rule: string) => needs.get(rule)?.kinds.includes('probe') ?? false
  return {
    needs,
    isComplete: {
      resource: isComplete,
      drift: isComplete,
      scan: isComplete,
      project: (kind) => isWhole(outcome, kind),
      fleet: isFleetWhole,
    },
    hasFailed: (rule) => rule in evaluation.failures || rule in failures,
    isInDoubt: doubts.holdsAny,
    isUnobserved(violation) {
      const key = resourceKey(violation)
      return unseen.has(key) || (needsProbes(violation.rule) && untried.has(key)) || doubts.isAbout(violation)
    },
  }
}

/** Before the end of a run: of what spans the fleet nothing is decided yet. */
export function projectCriteria(outcome: ProjectOutcome, needs: RuleNeeds): Criteria {
  return criteriaFor(outcome, { needs, isFleetWhole: () => false, failures: {}, blurred: new Set() })
}
