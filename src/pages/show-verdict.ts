import { count, countEach } from '../model/text/count.ts'
import { showOpenTime } from '../model/time.ts'
import { type FailOn, leastNew, type Severity, totalOf } from '../model/violation.ts'
import { type ScanExtent, showCount } from '../report/gaps.ts'
import { severityBar } from '../report/html/components/parts.ts'
import { type VerdictWords, verdictBanner } from '../report/html/components/verdict-banner.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { atLeast } from '../report/verdict.ts'

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

/**
 * `failing`: how many open violations fail a run that fails on `failOn`. What was not scanned may hide more. `isSure`:
 * whether everything that was scanned could be checked; `lost`: how many violations would fail it, were they still open.
 */
export function describeVerdict({
  failOn,
  failing,
  lost,
  extent,
  isSure,
}: {
  readonly failOn: FailOn
  readonly failing: number
  readonly lost: number
  readonly extent: ScanExtent
  readonly isSure: boolean
}): VerdictWords {
  if (extent === 'none') return { outcome: 'unknown', word: 'Unknown', sentence: 'Nothing was scanned.' }
  const isWhole = extent === 'all'
  if (failing > 0) {
    const failures = `${count(failing, failOn === 'new' ? 'new open violation' : 'open violation')} of ${thresholdOf(failOn)}`
    const sentence = isWhole ? `${failures}.` : `At least ${failures}: the scan is incomplete.`
    return { outcome: 'failed', word: 'Failed', sentence }
  }
  const none =
    failOn === 'never'
      ? 'No violation fails a run'
      : `No ${failOn === 'new' ? 'new ' : ''}open violation of ${thresholdOf(failOn)}`
  if (!isWhole)
    return { outcome: 'unknown', word: 'Incomplete', sentence: `${none} in what was scanned, the rest is unknown.` }
  if (lost > 0) {
    const which = `${count(lost, 'violation')} of ${thresholdOf(failOn)}`
    return { outcome: 'unknown', word: 'Incomplete', sentence: `${none} in what was shown, and ${which} unknown.` }
  }
  return isSure
    ? { outcome: 'passed', word: 'Passed', sentence: `${none}.` }
    : { outcome: 'unknown', word: 'Passed', sentence: `${none} in what could be checked, the rest is unknown.` }
}

function thresholdOf(failOn: FailOn): string {
  return atLeast(failOn === 'new' || failOn === 'never' ? leastNew : failOn)
}
