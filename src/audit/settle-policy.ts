import type { Draft } from '../history/history.ts'
import type { Coverage } from '../model/coverage.ts'
import type { JsonObject } from '../model/json.ts'
import { policyProject, type Resource } from '../model/resource.ts'
import type { Judge } from '../policy/judge.ts'
import { namedRules, type Policy } from '../policy/policy.ts'
import type { PolicyWaiver } from '../policy/waiver.ts'
import type { ProjectLook } from './audit-project.ts'
import { isKindWhole } from './look.ts'
import { endViolations, settleFindings } from './settle-violations.ts'

interface Fleet {
  readonly draft: Draft
  readonly judge: Judge
  readonly policy: Policy
  readonly isWholeFleet: boolean
}

/** What there is to say of the waivers, when everything that they may be for was judged. */
export async function settlePolicy(looks: readonly ProjectLook[], fleet: Fleet): Promise<void> {
  const { draft, judge, policy } = fleet
  // Nothing is written where there never was a waiver.
  if (policy.waivers.length === 0 && (await draft.unconfirmed(policyProject)).length === 0) return
  await draft.stageWalk(policyProject, looked, undefined)
  const resources = policy.waivers.map((waiver) => resourceOf(waiver, judgeUse(waiver, looks, fleet)))
  const findings = resources.flatMap((resource) => judge.visit(policyProject, resource))
  await settleFindings(draft, policyProject, findings)
  const inDoubt = new Set(resources.filter(({ attributes }) => !('used' in attributes)).map(({ uid }) => uid))
  const always = () => true
  await endViolations(draft, policyProject, {
    judge,
    isComplete: { resource: always, drift: always, look: always, project: always, fleet: always },
    isOutOfSight: ({ uid, path }) => path === '/used' && inDoubt.has(uid),
  })
}

/** Every look walks the endpoints; the policy has none, and readers leave this out of coverage. */
const looked: Coverage = {
  listing: 'endpoints',
  status: 'complete',
  reason: null,
  filter: null,
  pages: 0,
  items: 0,
  requests: 0,
  retries: 0,
  durationMs: 0,
}

/** Whether a violation needs the waiver; undefined when one could have gone unseen. */
function judgeUse(
  waiver: PolicyWaiver,
  looks: readonly ProjectLook[],
  { judge, policy, isWholeFleet }: Fleet,
): boolean | undefined {
  if (judge.waiving.isUsed(waiver)) return true
  if (!isWholeFleet) return undefined
  const covered = namedRules(policy).filter(({ rule }) => waiver.covers(rule.id))
  const reached = looks.filter(({ project }) => waiver.reaches(project.ref, project.labels))
  const sawAll = covered.every(({ rule }) =>
    (rule.scope === 'fleet' ? looks : reached).every(
      ({ project, statuses, untested }) =>
        !(rule.needs.includes('probe') && untested.size > 0) &&
        !judge.failuresIn(project.ref).has(rule.id) &&
        rule.needs.every((kind) => isKindWhole(statuses, project.filters, kind)),
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
