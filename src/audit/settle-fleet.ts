import type { Draft } from '../history/history.ts'
import type { Kind } from '../model/resource.ts'
import type { Judge } from '../policy/judge.ts'
import type { ProjectLook } from './look.ts'
import { isKindComplete, isKindWhole } from './look.ts'
import { endViolations, settleFindings } from './settle-violations.ts'

interface Fleet {
  readonly draft: Draft
  readonly judge: Judge
  /** Whether every configured project was looked at: what spans the fleet needs to see it whole. */
  readonly isWholeFleet: boolean
}

/** When all walks have ended: what rules across projects found, and what stood and was not found again. */
export async function settleFleet(looks: readonly ProjectLook[], { draft, judge, isWholeFleet }: Fleet): Promise<void> {
  const isWhole = ({ project, statuses }: ProjectLook, kind: Kind) => isKindWhole(statuses, project.filters, kind)
  const isFleetWhole = (kind: Kind) => isWholeFleet && looks.every((look) => isWhole(look, kind))
  const acrossFleet = judge.concludeFleet({ isComplete: isFleetWhole })
  const needsProbes = (rule: string) => judge.needsOf(rule)?.kinds.includes('probe') ?? false
  const byProject = Map.groupBy(acrossFleet, ({ project }) => project.name)
  for (const look of looks) {
    const { ref } = look.project
    const findings = (byProject.get(ref.name) ?? []).map(({ finding }) => finding)
    const sawAll = (rule: string) =>
      !judge.doubts.holdsAny(ref, rule) && (judge.needsOf(rule)?.kinds.every(isFleetWhole) ?? true)
    await settleFindings(draft, ref, findings, sawAll)
    const isComplete = (kind: Kind) => isKindComplete(look.statuses, kind)
    await endViolations(draft, ref, {
      judge,
      isComplete: {
        resource: isComplete,
        drift: isComplete,
        look: isComplete,
        project: (kind) => isWhole(look, kind),
        fleet: isFleetWhole,
      },
      isOutOfSight: ({ rule, kind, uid }) =>
        look.outOfSight.has(`${kind} ${uid}`) ||
        (needsProbes(rule) && look.untested.has(`${kind} ${uid}`)) ||
        judge.doubts.isAbout(ref, { rule, kind, uid }),
    })
    await tellFailures(draft, judge, look)
  }
}

/** Who reads the report must know that a rule did not judge, and whether that is our bug or a matter of their policy. */
async function tellFailures(draft: Draft, judge: Judge, { project: { ref } }: ProjectLook): Promise<void> {
  for (const [rule, why] of judge.failuresIn(ref)) {
    const isCustom = judge.needsOf(rule)?.isCustom === true
    const text = isCustom
      ? `the custom rule ${rule} could not judge everything, so its silence means nothing: ${why}`
      : `the rule ${rule} failed and judged nothing (a bug, please report it): ${why}`
    await draft.stageNotice(ref, { code: isCustom ? 'custom_rule_failed' : 'rule_failed', listing: null, text })
  }
}
