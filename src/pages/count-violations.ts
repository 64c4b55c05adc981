import type { CommittedRun, HistoryReader } from '../history/reader.ts'
import { dueDate, isOverdue } from '../model/due.ts'
import { countSeverities, type Severity } from '../model/violation.ts'
import { readEvaluations } from '../queries/last-evaluations.ts'

type Counts = Record<Severity, number>

/** Active violations as of a run, counted. */
export interface ViolationCounts {
  readonly open: Readonly<Counts>
  /** Open ones that this run found first. */
  readonly opened: Readonly<Counts>
  /** Those that the last scan could not check. */
  readonly unknown: number
  readonly waived: number
  readonly overdue: number
  /** When the oldest open one was first seen; undefined when none is open. */
  readonly oldest: string | undefined
  readonly byProject: ReadonlyMap<string, { readonly open: Readonly<Counts>; readonly unknown: Readonly<Counts> }>
  /** Open ones. */
  readonly byRule: ReadonlyMap<string, { readonly severity: Severity; readonly open: number }>
}

/** Counts without holding a violation: a million of them cost time and no memory. */
export async function countViolations(reader: HistoryReader, run: CommittedRun): Promise<ViolationCounts> {
  const evaluations = await readEvaluations(reader, await reader.latestScans(run.number))
  const at = Date.parse(run.startedAt)
  const [open, opened] = [countSeverities([]), countSeverities([])]
  let [unknown, waived, overdue] = [0, 0, 0]
  let oldest: string | undefined
  const byProject = new Map<string, { open: Counts; unknown: Counts }>()
  const byRule = new Map<string, { severity: Severity; open: number }>()
  await reader.firstViolations({
    ...{ run: run.number, withActive: true, resolvedAfter: undefined, withOwner: false, most: 1 },
    isChosen(violation) {
      const { severity, state, project, rule, firstSeen } = violation
      const ofProject = byProject.get(project) ?? { open: countSeverities([]), unknown: countSeverities([]) }
      byProject.set(project, ofProject)
      if (state === 'waived') waived++
      else if (state === 'unknown') {
        unknown++
        ofProject.unknown[severity]++
      } else {
        open[severity]++
        if (state === 'opened') opened[severity]++
        ofProject.open[severity]++
        const ofRule = byRule.get(rule) ?? { severity, open: 0 }
        ofRule.open++
        byRule.set(rule, ofRule)
        if (oldest === undefined || firstSeen < oldest) oldest = firstSeen
        if (isOverdue({ due_at: dueDate(violation, firstSeen, evaluations.get(project)?.due) }, at)) overdue++
      }
      return false
    },
  })
  return { open, opened, unknown, waived, overdue, oldest, byProject, byRule }
}
