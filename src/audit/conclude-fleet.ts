import type { PolicyEvaluation } from '../history/records.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import { type Kind, listings, resourceKey } from '../model/resource.ts'
import { isoTime } from '../model/time.ts'
import { withoutUndefined } from '../model/without-undefined.ts'
import { concludeFleetRules, type FleetFindings } from '../policy/conclude-fleet-rules.ts'
import { readDoubts } from '../policy/doubts.ts'
import { namedRules, type Policy, type RuleNeeds, ruleNeeds } from '../policy/policy.ts'
import { controlsOf } from '../report/compliance/built-in-frameworks.ts'
import { remediationOf } from '../rules/rule-page.ts'
import { describeGaps } from './describe-gaps.ts'
import { evaluateWaivers } from './evaluate-waivers.ts'
import type { Fleet, FleetConclusion } from './fleet-conclusion.ts'
import { isWhole, type ProjectOutcome } from './project-outcome.ts'
import { isKindComplete, kindOf, type Statuses } from './project-scan.ts'
import { keyOf, type ScanCriteria } from './reconcile.ts'

/** Concludes a run from what its projects left. */
export function concludeFleet(outcomes: readonly ProjectOutcome[], fleet: Fleet): FleetConclusion {
  const { policy, isWholeFleet } = fleet
  const needs = ruleNeeds(policy)
  const rules = namedRules(policy).map(({ rule }) => rule)
  const fleetFindings = concludeFleetRules(outcomes, policy, fleet.now)
  const findings = Map.groupBy(fleetFindings.findings, ({ project }) => project.name)
  const isFleetWhole = (kind: Kind) => isWholeFleet && outcomes.every((outcome) => isWhole(outcome, kind))
  const failuresIn = ({ evaluation }: ProjectOutcome) => ({ ...fleetFindings.failures, ...evaluation.failures })
  return {
    projects: outcomes.map((outcome) => ({
      project: outcome.project,
      findings: (findings.get(outcome.project.name) ?? []).map(({ finding }) => finding),
      criteria: criteriaFor(outcome, { needs, isFleetWhole, ...fleetFindings }),
      failures: failuresIn(outcome),
    })),
    waivers: evaluateWaivers(outcomes, { ...fleet, fleetFindings }),
    context: describeContext(
      policy,
      new Set(outcomes.flatMap(({ statuses }) => listedIn(statuses))),
      outcomes.map((outcome) => {
        const { project, labels, configured_at, ui_url, not_compared, approved_at, release, settings_at, windows } =
          outcome
        const { resources, evaluated_by_rule, notLicensed } = outcome.evaluation
        return withoutUndefined({
          project: project.name,
          labels,
          configured_at,
          ui_url,
          resources,
          evaluated_by_rule: { ...evaluated_by_rule, ...fleet.services?.evaluated.get(project.name) },
          not_compared,
          approved_at,
          release,
          settings_at,
          not_licensed: Object.keys(notLicensed).length === 0 ? undefined : notLicensed,
          windows: windows?.length ? windows : undefined,
          gaps: describeGaps(outcome.evaluation, failuresIn(outcome), {
            project,
            run: { run: fleet.run, at: isoTime(fleet.now) },
            before: fleet.gapsBefore(project),
            statuses: outcome.statuses,
            untested: outcome.untested,
            rules,
          }),
        })
      }),
    ),
  }
}

/** Before the end of a run: of what spans the fleet nothing is decided yet. */
export function projectCriteria(outcome: ProjectOutcome, needs: RuleNeeds): ScanCriteria {
  return criteriaFor(outcome, { needs, isFleetWhole: () => false, failures: {}, blurred: new Set() })
}

interface FleetCriteria extends Pick<FleetFindings, 'failures' | 'blurred'> {
  readonly needs: RuleNeeds
  isFleetWhole(kind: Kind): boolean
}

function criteriaFor(outcome: ProjectOutcome, { needs, isFleetWhole, failures, blurred }: FleetCriteria): ScanCriteria {
  const { statuses, unobserved, removed, untested, evaluation } = outcome
  const isComplete = (kind: Kind) => isKindComplete(statuses, kind)
  const doubts = readDoubts(evaluation.doubts, blurred)
  const unseen = new Set(unobserved)
  const untried = new Set(untested)
  const [gone, undecided] = [new Set(removed), new Set(outcome.undecided)]
  const needsProbes = (rule: string) => needs.get(rule)?.kinds.includes('probe') ?? false
  return {
    needs,
    isComplete: {
      resource: isComplete,
      drift: isComplete,
      scan: isComplete,
      project: (kind) => isWhole(outcome, kind),
      fleet: isFleetWhole,
      violations: isComplete,
    },
    hasFailed: (rule) => rule in evaluation.failures || rule in failures,
    isInDoubt: doubts.hasAny,
    endings: new Map(Object.entries(outcome.endings)),
    isRemoved: (violation) => gone.has(resourceKey(violation)),
    isUnobserved(violation) {
      const key = resourceKey(violation)
      if (undecided.size > 0 && undecided.has(keyOf(violation))) return true
      return unseen.has(key) || (needsProbes(violation.rule) && untried.has(key)) || doubts.isAbout(violation)
    },
  }
}

function listedIn(statuses: Statuses): readonly Kind[] {
  return listings.filter((listing) => (statuses[listing] ?? 'skipped') !== 'skipped').map((listing) => kindOf[listing])
}

/**
 * What a reader of the record needs to know of the policy and the configuration of then. `listed`: kinds that a project
 * lists.
 */
function describeContext(
  policy: Policy,
  listed: ReadonlySet<Kind>,
  projects: readonly ProjectEvaluation[],
): PolicyEvaluation {
  const rules = namedRules(policy).map(({ rule, severity }) => ({
    id: rule.id,
    kind: rule.kind,
    title: rule.title,
    remediation: rule.custom === undefined ? remediationOf(rule.id) : rule.custom.remediation,
    severity: severity ?? rule.severity,
    controls: [...new Set([...controlsOf(rule.id), ...(rule.custom?.controls ?? [])])],
    needs: [...rule.needs, ...(rule.needsIfListed ?? []).filter((kind) => listed.has(kind))],
  }))
  const { due, ignore } = policy
  const decided = {
    ...(Object.keys(due).length === 0 ? {} : { due }),
    ...(ignore.length === 0 ? {} : { ignore: ignore.map(({ path }) => path) }),
  }
  return {
    rules: rules.sort((a, b) => (a.id < b.id ? -1 : 1)),
    projects: projects.map((project) => ({ ...project, ...decided })).sort((a, b) => (a.project < b.project ? -1 : 1)),
    policy: policy.facts,
  }
}
