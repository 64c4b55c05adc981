import type { ScanDraft } from '../history/history.ts'
import type { Kind, ProjectRef } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { ProjectEvaluator } from '../policy/evaluate-project.ts'
import type { EvaluationOutcome } from '../policy/evaluation-outcome.ts'
import type { RuleNeeds } from '../policy/rule-needs.ts'
import type { Collector } from './collect-resources.ts'
import type { KeptOutcome } from './kept-outcome.ts'
import type { ProjectMarks } from './project-marks.ts'
import { isWhole, type ProjectOutcome } from './project-outcome.ts'

interface Concluding {
  readonly draft: ScanDraft
  readonly ref: ProjectRef
  readonly ofProject: ProjectEvaluator
  readonly collector: Collector
  readonly marks: ProjectMarks | undefined
  readonly needs: RuleNeeds
  readonly now: number
}

interface Concluded {
  readonly findings: readonly Finding[]
  readonly evaluation: EvaluationOutcome
  /** Whether the rules across resources found nothing anew, because nothing that they read has changed. */
  readonly isSame: boolean
}

/**
 * Concludes the rules across a project's resources; where nothing that they read has changed, what the last scan
 * concluded is found again. Leaves marks for the next scan.
 */
export async function concludeResources(
  { draft, ref, ofProject, collector, marks, needs, now }: Concluding,
  scanned: Pick<ProjectOutcome, 'statuses' | 'narrowed'> & { readonly hasProbes: boolean },
): Promise<Concluded> {
  const { statuses } = scanned
  const { evaluation: before } = marks?.kept ?? {}
  const isSame = await collector.end({
    mayBeSame: alike(marks?.kept?.statuses, statuses) && isClear(ofProject.outcome()),
  })
  const completeness = { isComplete: (kind: Kind) => isWhole(scanned, kind) }
  const findings = isSame ? [] : ofProject.conclude(completeness)
  const active = marks === undefined ? [] : await draft.unconfirmedViolations(ref)
  const again = (await marks?.findAgain(active, needs)) ?? []
  const across = isSame
    ? active.filter(({ rule, state }) => state !== 'unknown' && needs.get(rule)?.scope === 'project')
    : []
  await draft.stageViolations(ref, { confirmed: [...again, ...across].map(({ id }) => id), violations: [] })

  const evaluation = ofProject.outcome()
  if (isSame && before !== undefined) {
    await marks?.stage(statuses, 'same')
    return {
      ...{ findings, isSame },
      evaluation: { ...before, usedWaivers: [...new Set([...before.usedWaivers, ...evaluation.usedWaivers])] },
    }
  }
  if (Object.keys(evaluation.failures).length === 0) await marks?.stage(statuses, outcomeToKeep())
  return { findings, evaluation, isSame }

  function outcomeToKeep(): KeptOutcome | undefined {
    if (!isClear(evaluation) || scanned.hasProbes) return undefined
    const { outcome, until } = ofProject.resourceOutcome()
    if (until <= now) return undefined
    const end = Number.isFinite(until) ? until : null
    return { evaluation: outcome, versions: collector.digest(), statuses, at: now, until: end }
  }
}

/** Whether every rule could evaluate everything. */
function isClear({ failures, doubts }: EvaluationOutcome): boolean {
  return Object.keys(failures).length + Object.keys(doubts).length === 0
}

function alike(before: ProjectOutcome['statuses'] | undefined, now: ProjectOutcome['statuses']): boolean {
  return (
    before !== undefined && JSON.stringify(Object.entries(before).sort()) === JSON.stringify(Object.entries(now).sort())
  )
}
