import type { Draft } from '../history/history.ts'
import type { JsonObject } from '../model/json.ts'
import { type Kind, type ProjectRef, policyProject, type Resource } from '../model/resource.ts'
import type { PolicyEvaluator } from '../policy/judge.ts'
import { namedRules, type Policy } from '../policy/policy.ts'
import type { Labels } from '../policy/selector.ts'
import type { PolicyWaiver } from '../policy/waiver.ts'
import { unasked } from './due-listings.ts'
import type { ProjectScan } from './look.ts'
import { isKindWhole } from './look.ts'
import { reconcileFindings, resolveUnconfirmed } from './settle-violations.ts'

interface WaiverEvaluation {
  readonly judge: PolicyEvaluator
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
  looks: readonly ProjectScan[],
  { draft, ...judging }: WaiverEvaluation & { readonly draft: Draft },
): Promise<void> {
  const { judge, policy } = judging
  // Nothing is written where there never was a waiver.
  if (policy.waivers.length === 0 && (await draft.unconfirmedViolations(policyProject)).length === 0) return
  await draft.stageWalk(policyProject, looked, undefined)
  const { findings, isOutOfSight } = evaluateWaiverUse(looks.map(lookedAt), judging)
  await reconcileFindings(draft, policyProject, findings)
  const always = () => true
  await resolveUnconfirmed(draft, policyProject, {
    judge,
    isComplete: { resource: always, drift: always, look: always, project: always, fleet: always },
    isOutOfSight,
  })
}

function lookedAt({ project: { ref, labels, filters }, statuses, untested }: ProjectScan): ScannedProjects {
  const isWhole = (kind: Kind) => isKindWhole(statuses, filters, kind)
  return { project: ref, labels, isWhole, hasUntested: untested.size > 0 }
}

/** What rules say of the waivers, and about which of them nobody can say. */
export function evaluateWaiverUse(looks: readonly ScannedProjects[], judging: WaiverEvaluation) {
  const { judge, policy } = judging
  const resources = policy.waivers.map((waiver) => resourceOf(waiver, judgeUse(waiver, looks, judging)))
  const findings = resources.flatMap((resource) => judge.evaluate(policyProject, resource))
  const inDoubt = new Set(resources.filter(({ attributes }) => !('used' in attributes)).map(({ uid }) => uid))
  const isOutOfSight = ({ uid, path }: { readonly uid: string; readonly path: string }) =>
    path === '/used' && inDoubt.has(uid)
  return { findings, isOutOfSight }
}

/** Every look walks the endpoints; the policy has none, and readers leave this out of coverage. */
const looked = unasked('endpoints', 'complete', null)

/** Whether a violation needs the waiver; undefined when one could have gone unseen. */
function judgeUse(
  waiver: PolicyWaiver,
  looks: readonly ScannedProjects[],
  { judge, policy, isWholeFleet }: WaiverEvaluation,
): boolean | undefined {
  if (judge.waiving.isUsed(waiver)) return true
  if (!isWholeFleet) return undefined
  const covered = namedRules(policy).filter(({ rule }) => waiver.covers(rule.id))
  const reached = looks.filter(({ project, labels }) => waiver.reaches(project, labels))
  const sawAll = covered.every(({ rule }) =>
    (rule.scope === 'fleet' ? looks : reached).every(
      ({ project, hasUntested, isWhole }) =>
        !(rule.needs.includes('probe') && hasUntested) &&
        !judge.failuresIn(project).has(rule.id) &&
        !judge.doubts.holdsAny(project, rule.id) &&
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
