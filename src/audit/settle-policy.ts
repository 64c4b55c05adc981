import type { Draft } from '../history/history.ts'
import type { JsonObject } from '../model/json.ts'
import { type Kind, type ProjectRef, policyProject, type Resource } from '../model/resource.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import { namedRules, type Policy } from '../policy/policy.ts'
import type { Labels } from '../policy/selector.ts'
import type { PolicyWaiver } from '../policy/waiver.ts'
import type { ProjectScan } from './project-scan.ts'
import { isKindWhole } from './project-scan.ts'
import { reconcileFindings, resolveUnconfirmed } from './settle-violations.ts'

interface WaiverEvaluation {
  readonly evaluator: PolicyEvaluator
  readonly policy: Policy
  readonly isWholeFleet: boolean
}

/** What concluding from silence needs to know of a look at a project. */
export interface ScannedProjects {
  readonly project: ProjectRef
  readonly labels: Labels
  /** Whether all there is of a kind was seen. */
  isWhole(kind: Kind): boolean
  /** Whether there are probes that could not run. */
  readonly hasUntested: boolean
}

/** What there is to say of the waivers, when everything that they may be for was judged. */
export async function reconcileWaiverFindings(
  scans: readonly ProjectScan[],
  { draft, ...evaluating }: WaiverEvaluation & { readonly draft: Draft },
): Promise<void> {
  const { evaluator, policy } = evaluating
  // Nothing is written where there never was a waiver.
  if (policy.waivers.length === 0 && (await draft.unconfirmedViolations(policyProject)).length === 0) return
  await draft.stageScan(policyProject)
  const { findings, isUnobserved } = evaluateWaiverUse(scans.map(toScannedProject), evaluating)
  await reconcileFindings(draft, policyProject, findings)
  const always = () => true
  await resolveUnconfirmed(draft, policyProject, {
    evaluator,
    isComplete: { resource: always, drift: always, scan: always, project: always, fleet: always },
    isUnobserved,
  })
}

function toScannedProject({ project: { ref, labels, filters }, statuses, untested }: ProjectScan): ScannedProjects {
  const isWhole = (kind: Kind) => isKindWhole(statuses, filters, kind)
  return { project: ref, labels, isWhole, hasUntested: untested.size > 0 }
}

/** What rules say of the waivers, and about which of them nobody can say. */
export function evaluateWaiverUse(scans: readonly ScannedProjects[], evaluating: WaiverEvaluation) {
  const { evaluator, policy } = evaluating
  const resources = policy.waivers.map((waiver) => resourceOf(waiver, evaluateUse(waiver, scans, evaluating)))
  const findings = resources.flatMap((resource) => evaluator.evaluate(policyProject, resource))
  const inDoubt = new Set(resources.filter(({ attributes }) => !('used' in attributes)).map(({ uid }) => uid))
  const isUnobserved = ({ uid, path }: { readonly uid: string; readonly path: string }) =>
    path === '/used' && inDoubt.has(uid)
  return { findings, isUnobserved }
}

/** Whether a violation needs the waiver; undefined when one could have gone unseen. */
function evaluateUse(
  waiver: PolicyWaiver,
  scans: readonly ScannedProjects[],
  { evaluator, policy, isWholeFleet }: WaiverEvaluation,
): boolean | undefined {
  if (evaluator.waiving.isUsed(waiver)) return true
  if (!isWholeFleet) return undefined
  const covered = namedRules(policy).filter(({ rule }) => waiver.covers(rule.id))
  const reached = scans.filter(({ project, labels }) => waiver.reaches(project, labels))
  const sawAll = covered.every(({ rule }) =>
    (rule.scope === 'fleet' ? scans : reached).every(
      ({ project, hasUntested, isWhole }) =>
        !(rule.needs.includes('probe') && hasUntested) &&
        !evaluator.failuresIn(project).has(rule.id) &&
        !evaluator.doubts.holdsAny(project, rule.id) &&
        rule.needs.every(isWhole),
    ),
  )
  return sawAll ? false : undefined
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
