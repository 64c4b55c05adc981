import { changeTypes } from '../../model/change.ts'
import { countUnsureRules } from '../../model/gap.ts'
import type { Report } from '../../model/report.ts'
import { showOpenTime } from '../../model/time.ts'
import { countSeverities, isOpen, isOverdue, type Severity, totalOf } from '../../model/violation.ts'
import { count, countEach } from '../../text/count.ts'
import { extentOf, isAllCompared, isFirstScan, type ScanExtent, showCount } from '../gaps.ts'
import { describeUnsure, failsRunOf, losesRunOf } from '../verdict.ts'
import { severityBar } from './components/parts.ts'
import { describeVerdict, type VerdictWords, verdictBanner } from './components/verdict-banner.ts'
import { html, type Markup } from './markup.ts'

const large = ['critical', 'high', 'medium'] as const satisfies readonly Severity[]

type Counts = Readonly<Record<Severity, number>>

/** What a verdict rests on: of a report, or of the last scans of a history. */
export interface VerdictCounts {
  readonly words: VerdictWords
  readonly extent: ScanExtent
  readonly open: Counts
  readonly unknown: Counts
  /** What the run opened and ended; absent: there is nothing to compare with. */
  readonly change?: { readonly opened: Counts; readonly fixed: Counts; readonly otherwise: Counts } | undefined
  /** Of the oldest open violation. */
  readonly oldestMs: number
  readonly overdue: number
  readonly waived: number
  /** Facts about the run, after those about violations. */
  readonly ofRun?: readonly (string | Markup)[]
  /** Where numbers are listed; absent: nowhere. */
  readonly listOf?: (choice: Readonly<Record<string, string>>) => string
}

/** The verdict in words, three numbers with what changed since the last run, and short facts. */
export function showVerdictOf(counts: VerdictCounts): Markup {
  const { words, extent, open, unknown, oldestMs, overdue, waived, ofRun = [], listOf } = counts
  const below = countEach(['low', 'info'], open)
  const lost = totalOf(unknown)
  const linked = (text: string, choice: Readonly<Record<string, string>>) =>
    listOf === undefined ? text : html`<a href="${listOf(choice)}">${text}</a>`
  return verdictBanner({
    ...words,
    numbers: large.map((severity) => ({
      value: showCount(open[severity], extent),
      label: severity,
      delta: deltaOf(counts, severity),
      mark: severity,
      ...(listOf !== undefined && { href: listOf({ severity, 'max-severity': severity, state: 'open' }) }),
    })),
    bar: severityBar(open),
    facts: [
      ...(below === '' ? [] : [`and ${below}`]),
      ...(oldestMs >= 60_000 ? [`oldest open: ${showOpenTime(oldestMs)}`] : []),
      ...(overdue === 0 ? [] : [linked(`${overdue} overdue`, { state: 'open', overdue: 'true' })]),
      ...(waived === 0 ? [] : [linked(`${waived} waived`, { state: 'waived' })]),
      ...(lost === 0 ? [] : [linked(`${lost} unknown`, { state: 'unknown' })]),
      ...ofRun,
    ],
  })
}

function deltaOf({ change, unknown, extent }: VerdictCounts, severity: Severity): string[] {
  const lost = unknown[severity] === 0 ? [] : [`${unknown[severity]} unknown`]
  if (change === undefined) return lost
  const { opened, fixed, otherwise } = change
  const changed = [
    ...(opened[severity] === 0 ? [] : [`+${opened[severity]} new`]),
    ...(fixed[severity] === 0 ? [] : [`−${fixed[severity]} fixed`]),
    ...(otherwise[severity] === 0 ? [] : [`−${otherwise[severity]} ended otherwise`]),
    ...lost,
  ]
  return changed.length === 0 && extent === 'all' ? ['no change'] : changed
}

/** The same of a report. */
export function showVerdict(report: Report): Markup {
  const { verdict, violations, run, coverage } = report
  const start = Date.parse(run.started_at)
  const ended = violations.filter(({ state }) => state === 'resolved')
  const fixed = countSeverities(ended.filter(({ resolution }) => resolution === 'fixed'))
  const otherwise = countSeverities(ended.filter(({ resolution }) => resolution !== 'fixed'))
  // Numbers that grew: those of a project that was scanned for the first time, too.
  const opened = countSeverities(violations.filter(({ state }) => state === 'opened'))
  const ages = violations.filter(isOpen).map(({ first_seen }) => start - Date.parse(first_seen))
  return showVerdictOf({
    words: inWords(report),
    extent: extentOf(coverage),
    open: verdict.violations,
    unknown: countSeverities(violations.filter(({ state }) => state === 'unknown')),
    change: isFirstScan(report) ? undefined : { opened, fixed, otherwise },
    oldestMs: ages.reduce((most, age) => Math.max(most, age), 0),
    overdue: violations.filter((violation) => isOpen(violation) && isOverdue(violation, start)).length,
    waived: verdict.waived,
    ofRun: factsOf(report),
  })
}

function inWords(report: Report): VerdictWords {
  const { verdict, coverage, violations } = report
  const failing = violations.filter(failsRunOf(report)).length
  const lost = violations.filter(losesRunOf(report)).length
  const isSure = verdict.unknown + countUnsureRules(report.gaps) === 0
  const words = describeVerdict({ failOn: verdict.fail_on, failing, lost, extent: extentOf(coverage), isSure })
  const ended = new Set(coverage.filter(({ cause }) => cause === 'bug').map(({ project }) => project)).size
  if (ended === 0) return words
  return { ...words, sentence: `A bug in hookdrift ended the audit of ${count(ended, 'project')}. ${words.sentence}` }
}

function describeNone({ coverage, notices }: Report): string {
  if (extentOf(coverage) !== 'all') return 'drift: ?'
  return isAllCompared(notices) ? 'no drift' : 'no drift in what could be compared'
}

/** What changed, and what became of the violations that ended: not all of them were mended. */
function factsOf(report: Report): string[] {
  const { verdict, violations } = report
  const changes = countEach(changeTypes, verdict.drift)
  const fixed = violations.filter(({ state, resolution }) => state === 'resolved' && resolution === 'fixed').length
  const otherwise = verdict.resolved - fixed
  return [
    ...(isFirstScan(report) ? ['first scan: nothing to compare with'] : []),
    ...(changes === '' ? [] : [`changed: ${changes}`]),
    ...(changes === '' && !isFirstScan(report) ? [describeNone(report)] : []),
    ...(fixed === 0 ? [] : [`${fixed} fixed`]),
    ...(otherwise === 0 ? [] : [`${otherwise} ended otherwise`]),
    ...describeUnsure(countUnsureRules(report.gaps)),
  ]
}
