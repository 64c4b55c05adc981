import type { Draft } from '../history/history.ts'
import type { Kind } from '../model/resource.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { ProjectScan } from './project-scan.ts'
import { isKindComplete, isKindWhole } from './project-scan.ts'
import { reconcileFindings, resolveUnconfirmed } from './settle-violations.ts'

interface Fleet {
  readonly draft: Draft
  readonly evaluator: PolicyEvaluator
  /** Whether every configured project was looked at: what spans the fleet needs to see it whole. */
  readonly isWholeFleet: boolean
}

/** When all walks have ended: what rules across projects found, and what stood and was not found again. */
export async function finishFleet(
  scans: readonly ProjectScan[],
  { draft, evaluator, isWholeFleet }: Fleet,
): Promise<void> {
  const isWhole = ({ project, statuses }: ProjectScan, kind: Kind) => isKindWhole(statuses, project.filters, kind)
  const isFleetWhole = (kind: Kind) => isWholeFleet && scans.every((scan) => isWhole(scan, kind))
  const acrossFleet = evaluator.concludeFleet({ isComplete: isFleetWhole })
  const needsProbes = (rule: string) => evaluator.needsOf(rule)?.kinds.includes('probe') ?? false
  const byProject = Map.groupBy(acrossFleet, ({ project }) => project.name)
  for (const scan of scans) {
    const { ref } = scan.project
    const findings = (byProject.get(ref.name) ?? []).map(({ finding }) => finding)
    const sawAll = (rule: string) =>
      !evaluator.doubts.holdsAny(ref, rule) && (evaluator.needsOf(rule)?.kinds.every(isFleetWhole) ?? true)
    await reconcileFindings(draft, ref, findings, sawAll)
    const isComplete = (kind: Kind) => isKindComplete(scan.statuses, kind)
    await resolveUnconfirmed(draft, ref, {
      evaluator,
      isComplete: {
        resource: isComplete,
        drift: isComplete,
        scan: isComplete,
        project: (kind) => isWhole(scan, kind),
        fleet: isFleetWhole,
      },
      isUnobserved: ({ rule, kind, uid }) =>
        scan.unobserved.has(`${kind} ${uid}`) ||
        (needsProbes(rule) && scan.untested.has(`${kind} ${uid}`)) ||
        evaluator.doubts.isAbout(ref, { rule, kind, uid }),
    })
    await noteRuleFailures(draft, evaluator, scan)
  }
}

/** Who reads the report must know that a rule did not judge, and whether that is our bug or a matter of their policy. */
async function noteRuleFailures(
  draft: Draft,
  evaluator: PolicyEvaluator,
  { project: { ref } }: ProjectScan,
): Promise<void> {
  for (const [rule, why] of evaluator.failuresIn(ref)) {
    const isCustom = evaluator.needsOf(rule)?.isCustom === true
    const text = isCustom
      ? `the custom rule ${rule} could not judge everything, so its silence means nothing: ${why}`
      : `the rule ${rule} failed and judged nothing (a bug, please report it): ${why}`
    await draft.stageNotice(ref, { code: isCustom ? 'custom_rule_failed' : 'rule_failed', listing: null, text })
  }
}
