import { changeTypes } from '../../model/change.ts'
import type { Report, ReportViolation } from '../../model/report.ts'
import { showOpenTime } from '../../model/time.ts'
import { isOpen, isOverdue, type Severity } from '../../model/violation.ts'
import { count, countEach } from '../../text/count.ts'
import { isFirstScan, newViolations } from '../scanned-extent.ts'
import { failsRunOf } from '../verdict.ts'
import { severityBar } from './components/severity.ts'
import { verdictBanner } from './components/verdict-banner.ts'
import { describeVerdict, type VerdictWords } from './describe-verdict.ts'
import type { Markup } from './markup.ts'
import { extentOf, showCount } from './scan-extent.ts'

const large = ['critical', 'high', 'medium'] as const satisfies readonly Severity[]

/** The verdict in words, three numbers with what changed since the last run, and short facts. */
export function showVerdict(report: Report): Markup {
  const { verdict } = report
  const extent = extentOf(report.coverage)
  return verdictBanner({
    ...inWords(report),
    numbers: large.map((severity) => ({
      value: showCount(verdict.violations[severity], extent),
      label: severity,
      delta: deltaOf(report, severity),
      mark: severity,
    })),
    bar: severityBar(verdict.violations),
    facts: factsOf(report),
  })
}

function inWords({ verdict, coverage, violations, projects }: Report): VerdictWords {
  const failing = violations.filter(failsRunOf({ verdict, projects })).length
  const words = describeVerdict({ failOn: verdict.fail_on, failing, extent: extentOf(coverage) })
  const ended = new Set(coverage.filter(({ cause }) => cause === 'bug').map(({ project }) => project)).size
  if (ended === 0) return words
  return { ...words, sentence: `A bug in hookdrift ended the audit of ${count(ended, 'project')}. ${words.sentence}` }
}

/** What the states of this run's violations say about the run before. */
function deltaOf(report: Report, severity: Severity): string[] {
  const inState = (state: string) =>
    report.violations.filter((violation) => violation.severity === severity && violation.state === state).length
  const unknown = inState('unknown')
  const opened = newViolations(report).filter((violation) => violation.severity === severity).length
  const ended = countEnds(report.violations.filter((violation) => violation.severity === severity))
  const wasOpen = unknown === 0 ? [] : [`${unknown} unknown`]
  if (isFirstScan(report)) return wasOpen
  const changed = [
    ...(opened === 0 ? [] : [`+${opened} new`]),
    ...(ended.fixed === 0 ? [] : [`−${ended.fixed} fixed`]),
    ...(ended.otherwise === 0 ? [] : [`−${ended.otherwise} ended otherwise`]),
  ]
  if (changed.length + wasOpen.length > 0) return [...changed, ...wasOpen]
  return extentOf(report.coverage) === 'all' ? ['no change'] : []
}

/** Violations that ended: fixed, and otherwise, which mended nothing. */
function countEnds(violations: readonly ReportViolation[]): { readonly fixed: number; readonly otherwise: number } {
  const ended = violations.filter(({ state }) => state === 'resolved')
  const fixed = ended.filter(({ resolution }) => resolution === 'fixed').length
  return { fixed, otherwise: ended.length - fixed }
}

function describeEnds({ fixed, otherwise }: ReturnType<typeof countEnds>): string[] {
  return [...(fixed === 0 ? [] : [`${fixed} fixed`]), ...(otherwise === 0 ? [] : [`${otherwise} ended otherwise`])]
}

function factsOf(report: Report): string[] {
  const { verdict, violations, run } = report
  const below = countEach(['low', 'info'], verdict.violations)
  const ages = violations.filter(isOpen).map(({ first_seen }) => Date.parse(run.started_at) - Date.parse(first_seen))
  const oldest = ages.reduce((most, age) => Math.max(most, age), 0)
  const overdue = violations.filter(
    (violation) => isOpen(violation) && isOverdue(violation, Date.parse(run.started_at)),
  )
  const changes = countEach(changeTypes, verdict.drift)
  const extent = extentOf(report.coverage)
  return [
    ...(below === '' ? [] : [`and ${below}`]),
    ...(oldest >= 60_000 ? [`oldest open: ${showOpenTime(oldest)}`] : []),
    ...(overdue.length === 0 ? [] : [`${overdue.length} overdue`]),
    ...(isFirstScan(report) ? ['first scan: nothing to compare with'] : []),
    ...(changes === '' ? [] : [`changed: ${changes}`]),
    ...(changes === '' && !isFirstScan(report) ? [extent === 'all' ? 'no drift' : 'drift: ?'] : []),
    ...(verdict.unknown === 0 ? [] : [`${verdict.unknown} unknown`]),
    ...(verdict.waived === 0 ? [] : [`${verdict.waived} waived`]),
    ...(verdict.resolved === 0 ? [] : describeEnds(countEnds(violations))),
  ]
}
