import type { Ending } from '../model/ending.ts'
import type { JsonObject } from '../model/json.ts'
import { policyProject, type Resource } from '../model/resource.ts'
import type { FleetFindings } from '../policy/conclude-fleet-rules.ts'
import { readDoubts } from '../policy/doubts.ts'
import { createEvaluator, type PolicyEvaluator } from '../policy/evaluator.ts'
import { namedRules } from '../policy/policy.ts'
import type { PolicyWaiver } from '../policy/waiver.ts'
import type { Fleet, ProjectConclusion } from './fleet-conclusion.ts'
import { endingOfWaiver } from './policy-endings.ts'
import { isWhole, type ProjectOutcome } from './project-outcome.ts'
import { keyOf } from './reconcile.ts'

interface FleetWithFindings extends Fleet {
  readonly fleetFindings: FleetFindings
}

/** What there is to say of the waivers, when everything that they may be for was evaluated. */
export function evaluateWaivers(outcomes: readonly ProjectOutcome[], fleet: FleetWithFindings): ProjectConclusion {
  const { policy, now, fleetFindings, lists, services } = fleet
  const evaluator = createEvaluator(policy, now)
  const ofPolicy = evaluator.forProject(policyProject)
  const usedInProjects = outcomes.flatMap(({ evaluation }) => evaluation.usedWaivers)
  const used = new Set([
    ...fleetFindings.usedWaivers,
    ...usedInProjects,
    ...(lists?.usedWaivers ?? []),
    ...(services?.usedWaivers ?? []),
  ])
  const couldBeNeeded = startAsking(outcomes, fleet)
  // Of equal ones, the last to end counts: what it accepts is not open again when another one ends.
  const equals = Map.groupBy(policy.waivers.keys(), (index) => policy.waivers[index]?.uid)
  const resources = [...equals.values()].map((indexes) => {
    const waiver = indexes
      .flatMap((index) => policy.waivers[index] ?? [])
      .reduce((last, one) => (one.until > last.until ? one : last))
    const isUsed = indexes.some((index) => used.has(index))
    return resourceOf(waiver, isUsed || !couldBeNeeded(waiver) ? isUsed : undefined)
  })
  const findings = resources.flatMap((resource) => ofPolicy.evaluate(resource))
  const inDoubt = new Set(resources.filter(({ attributes }) => !('used' in attributes)).map(({ uid }) => uid))
  const { failures } = ofPolicy.outcome()
  const always = () => true
  return {
    project: policyProject,
    findings,
    criteria: {
      needs: evaluator.needs,
      isComplete: { resource: always, drift: always, scan: always, project: always, fleet: always, violations: always },
      hasFailed: (rule) => rule in failures || rule in fleetFindings.failures,
      isInDoubt: () => false,
      endings: new Map(endingsOfExpired(policy, now, evaluator.needs)),
      isRemoved: () => false,
      isUnobserved: ({ uid, path }) => path === '/used' && inDoubt.has(uid),
    },
  }
}

/** What a rule says of a waiver until it ends is then neither found nor mended. Of equal ones, the last to end counts. */
function endingsOfExpired(
  { waivers, facts }: FleetWithFindings['policy'],
  now: number,
  needs: PolicyEvaluator['needs'],
): [string, Ending][] {
  const lasting = new Set(waivers.flatMap(({ uid, until }) => (until > now ? [uid] : [])))
  return waivers.flatMap(({ uid, until }, index) => {
    if (lasting.has(uid)) return []
    const ending = endingOfWaiver(until, facts.waivers[index]?.configured_at ?? null)
    return [
      { rule: 'waiver/expiring', path: '/expires' },
      { rule: 'waiver/unused', path: '/used' },
    ].flatMap((finding): [string, Ending][] =>
      needs.has(finding.rule) ? [[keyOf({ ...finding, kind: 'policy', uid }), ending]] : [],
    )
  })
}

/** Decided by the lists of projects alone. */
export const unlistedRule = 'project/unlisted'

/** Whether a violation that needs the waiver could have gone unseen. */
function startAsking(
  outcomes: readonly ProjectOutcome[],
  { policy, isWholeFleet, fleetFindings, lists, services }: FleetWithFindings,
): (waiver: PolicyWaiver) => boolean {
  if (!isWholeFleet) return () => true
  const scanned = outcomes.map((outcome) => ({
    outcome,
    doubts: readDoubts(outcome.evaluation.doubts, fleetFindings.blurred),
  }))
  const named = namedRules(policy)
  return (waiver) => {
    const covered = named.filter(({ rule }) => waiver.covers(rule.id))
    if (services?.unsure.some((rule) => waiver.covers(rule))) return true
    if (lists?.areRead === false && waiver.covers(unlistedRule)) return true
    const reached = scanned.filter(({ outcome: { project, labels } }) => waiver.reaches(project, labels))
    return covered.some(({ rule }) =>
      (rule.scope === 'fleet' ? scanned : reached).some(
        ({ outcome, doubts }) =>
          (rule.needs.includes('probe') && outcome.untested.length > 0) ||
          rule.id in fleetFindings.failures ||
          rule.id in outcome.evaluation.failures ||
          rule.id in outcome.evaluation.notLicensed ||
          doubts.hasAny(rule.id) ||
          outcome.unknownRules.includes(rule.id) ||
          rule.id in outcome.evaluation.rowsUnread ||
          !rule.needs.every((kind) => isWhole(outcome, kind)),
      ),
    )
  }
}

function resourceOf({ uid, name, rule, match, terms }: PolicyWaiver, used: boolean | undefined): Resource {
  const { owner, reason, expires, ticket = null } = terms
  const attributes: JsonObject = {
    rule,
    match,
    owner,
    reason,
    expires,
    ticket,
    ...(used === undefined ? {} : { used }),
  }
  return { kind: 'policy', uid, name, attributes, volatile: {}, facts: {} }
}
