import type { ViolationGroup } from '../../history/sql/first-violations.ts'
import { readResolvedBetween } from '../../history/sql/violations.ts'
import type { Report } from '../../model/report.ts'
import { showOpenTime } from '../../model/time.ts'
import type { Trend } from '../../model/trend.ts'
import {
  countSeverities,
  dueDate,
  type FailOn,
  isAtLeast,
  isOpen,
  isOverdue,
  leastNew,
  type Severity,
  type ViolationState,
} from '../../model/violation.ts'
import { countGroups } from '../../queries/count-groups.ts'
import { severityBar } from '../../report/html/components/severity.ts'
import { verdictBanner } from '../../report/html/components/verdict-banner.ts'
import { describeVerdict } from '../../report/html/describe-verdict.ts'
import { html, type Markup } from '../../report/html/markup.ts'
import { extentOf, showCount } from '../../report/html/scan-extent.ts'
import { countEach } from '../../text/count.ts'
import type { SiteRequest } from '../page.ts'
import { onceForRun, readDue, readInputs, timeOf } from '../run-facts.ts'

const large = ['critical', 'high', 'medium'] as const satisfies readonly Severity[]

/** The verdict in words and numbers, over the last scan of each project, and what changed with the run. */
export async function showVerdictOf(
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
  const isWhole = extent === 'all'
  const { oldestOpen } = trend.all
  const oldestMs = oldestOpen === null ? 0 : timeOf(request) - Date.parse(oldestOpen)
  return verdictBanner({
    ...describeVerdict({ failOn, failing, extent }),
    numbers: large.map((severity) => ({
      value: showCount(open.severities[severity], extent),
      label: severity,
      mark: severity,
      href: link('/violations', { severity, 'max-severity': severity, state: 'open' }),
      delta: [
        ...(opened[severity] === 0 ? [] : [`+${opened[severity]} new`]),
        ...(ended.fixed[severity] === 0 ? [] : [`−${ended.fixed[severity]} fixed`]),
        ...(ended.otherwise[severity] === 0 ? [] : [`−${ended.otherwise[severity]} ended otherwise`]),
        ...(unknown.severities[severity] === 0 ? [] : [`${unknown.severities[severity]} unknown`]),
        ...(opened[severity] + ended.fixed[severity] + ended.otherwise[severity] + unknown.severities[severity] === 0 &&
        isWhole
          ? ['no change']
          : []),
      ],
    })),
    bar: severityBar(open.severities),
    facts: [
      ...(countEach(['low', 'info'], open.severities) === ''
        ? []
        : [`and ${countEach(['low', 'info'], open.severities)}`]),
      ...(oldestMs < 60_000 ? [] : [`oldest open: ${showOpenTime(oldestMs)}`]),
      ...(overdue === 0
        ? []
        : [html`<a href="${link('/violations', { state: 'open', overdue: 'true' })}">${overdue} overdue</a>`]),
      ...(waived === 0 ? [] : [html`<a href="${link('/violations', { state: 'waived' })}">${waived} waived</a>`]),
      ...(unknown.total === 0
        ? []
        : [html`<a href="${link('/violations', { state: 'unknown' })}">${unknown.total} unknown</a>`]),
    ],
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
