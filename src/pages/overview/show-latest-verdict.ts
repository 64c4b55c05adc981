import type { ViolationGroup } from '../../history/sql/first-violations.ts'
import { readResolvedBetween } from '../../history/sql/violations.ts'
import type { Report } from '../../model/report.ts'
import type { Trend } from '../../model/trend.ts'
import {
  countSeverities,
  dueDate,
  type FailOn,
  isAtLeast,
  isOpen,
  isOverdue,
  leastNew,
  type ViolationState,
} from '../../model/violation.ts'
import { countGroups } from '../../questions/count-groups.ts'
import { describeVerdict } from '../../report/html/describe-verdict.ts'
import type { Markup } from '../../report/html/markup.ts'
import { extentOf } from '../../report/html/scan-extent.ts'
import { showVerdictOf } from '../../report/html/show-verdict.ts'
import type { SiteRequest } from '../page.ts'
import { onceForRun, readDue, readInputs, timeOf } from '../run-facts.ts'

/** The verdict in words and numbers, over the last scan of each project, and what changed with the run. */
export async function showLatestVerdict(
  request: SiteRequest,
  { groups, coverage, trend }: { groups: readonly ViolationGroup[]; coverage: Report['coverage']; trend: Trend },
): Promise<Markup> {
  const { run, link } = request
  const dueOf = await readDue(request)
  const inStates = (...states: readonly ViolationState[]) =>
    countGroups(groups.filter(({ state }) => states.includes(state)))
  const open = inStates('opened', 'continuing')
  const [{ total: waived }, unknown] = [inStates('waived'), inStates('unknown')]
  const opened = countGroups(groups.filter(testNew(run.number))).severities
  const ended = await onceForRun(request, 'ended', () => countEnded(request))
  const isLate = (group: ViolationGroup) =>
    isOverdue({ due_at: dueDate(group, group.firstSeen, dueOf(group.project)) }, timeOf(request))
  const overdue = countGroups(groups.filter((group) => isOpen(group) && isLate(group))).total
  const extent = extentOf(coverage)
  const failOn = (await readInputs(request))?.failOn ?? 'never'
  const failing = countFailing(groups, failOn, run.number)
  const { oldestOpen } = trend.all
  return showVerdictOf({
    words: describeVerdict({ failOn, failing, extent }),
    extent,
    open: open.severities,
    unknown: unknown.severities,
    change: { opened, fixed: ended.fixed, otherwise: ended.otherwise },
    oldestMs: oldestOpen === null ? 0 : timeOf(request) - Date.parse(oldestOpen),
    overdue,
    waived,
    listOf: (choice) => link('/violations', choice),
  })
}

/** Whether the run opened violations. */
export function testNew(run: number): (group: ViolationGroup) => boolean {
  return (group) => group.state === 'opened' && group.run === run
}

/** What ended with the run, by severity. */
async function countEnded({ history, run }: SiteRequest) {
  const [fixed, otherwise] = [countSeverities([]), countSeverities([])]
  for (const { severity, resolution } of await readResolvedBetween(history, run.number - 1, run.number)) {
    ;(resolution === 'fixed' ? fixed : otherwise)[severity]++
  }
  return { fixed, otherwise }
}

/** Open violations that fail a run which fails on `failOn`. */
function countFailing(groups: readonly ViolationGroup[], failOn: FailOn, run: number): number {
  if (failOn === 'never') return 0
  const isNew = testNew(run)
  const least = failOn === 'new' ? leastNew : failOn
  const failing = groups.filter(
    (group) => isOpen(group) && isAtLeast(group.severity, least) && (failOn !== 'new' || isNew(group)),
  )
  return countGroups(failing).total
}
