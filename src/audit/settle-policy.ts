import type { Draft } from '../history/history.ts'
import type { JsonObject } from '../model/json.ts'
import { type Kind, type ProjectRef, policyProject, type Resource } from '../model/resource.ts'
import type { Judge } from '../policy/judge.ts'
import { namedRules, type Policy } from '../policy/policy.ts'
import type { Labels } from '../policy/selector.ts'
import type { PolicyWaiver } from '../policy/waiver.ts'
import type { ProjectLook } from './look.ts'
import { isKindWhole } from './look.ts'
import { endViolations, settleFindings } from './settle-violations.ts'

interface Judging {
  readonly judge: Judge
  readonly policy: Policy
  readonly isWholeFleet: boolean
}

/** What concluding from silence needs to know of a look at a project. */
export interface LookedAt {
  readonly project: ProjectRef
  readonly labels: Labels
  /** Whether all there is of a kind was seen. */
  isWhole(kind: Kind): boolean
  /** Whether there are probes that could not run. */
  readonly hasUntested: boolean
}

/** What there is to say of the waivers, when everything that they may be for was judged. */
export async function settlePolicy(
  looks: readonly ProjectLook[],
  { draft, ...judging }: Judging & { readonly draft: Draft },
): Promise<void> {
  const { judge, policy } = judging
  // Nothing is written where there never was a waiver.
  if (policy.waivers.length === 0 && (await draft.unconfirmed(policyProject)).length === 0) return
  await draft.stageScan(policyProject)
  const { findings, isOutOfSight } = judgePolicy(looks.map(lookedAt), judging)
  await settleFindings(draft, policyProject, findings)
  const always = () => true
  await endViolations(draft, policyProject, {
    judge,
    isComplete: { resource: always, drift: always, look: always, project: always, fleet: always },
    isOutOfSight,
  })
}

function lookedAt({ project: { ref, labels, filters }, statuses, untested }: ProjectLook): LookedAt {
  const isWhole = (kind: Kind) => isKindWhole(statuses, filters, kind)
  return { project: ref, labels, isWhole, hasUntested: untested.size > 0 }
}

/** What rules say of the waivers, and about which of them nobody can say. */
export function judgePolicy(looks: readonly LookedAt[], judging: Judging) {
  const { judge, policy } = judging
  const resources = policy.waivers.map((waiver) => resourceOf(waiver, judgeUse(waiver, looks, judging)))
  const findings = resources.flatMap((resource) => judge.visit(policyProject, resource))
  const inDoubt = new Set(resources.filter(({ attributes }) => !('used' in attributes)).map(({ uid }) => uid))
  const isOutOfSight = ({ uid, path }: { readonly uid: string; readonly path: string }) =>
    path === '/used' && inDoubt.has(uid)
  return { findings, isOutOfSight }
}

/** Whether a violation needs the waiver; undefined when one could have gone unseen. */
function judgeUse(
  waiver: PolicyWaiver,
  looks: readonly LookedAt[],
  { judge, policy, isWholeFleet }: Judging,
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
