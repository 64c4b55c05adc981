import type { CommittedRun, RecordedScan, ResolvedViolation } from '../history/reader.ts'
import { exitCodes } from '../model/errors.ts'
import { isProjectList, policyProject } from '../model/resource.ts'
import { isSolved, type Severity, severities, totalOf } from '../model/violation.ts'
import { toCoverage } from '../queries/as-of.ts'
import { readDiff } from '../queries/read-diff.ts'
import { findTrend } from '../queries/read-trend.ts'
import { readViolations } from '../queries/read-violations.ts'
import { showOpenTime } from '../report/compliance/show-open-time.ts'
import { changeCard } from '../report/html/components/change-card.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { foldRest } from '../report/html/components/fold.ts'
import { severityBar } from '../report/html/components/severity.ts'
import { cell, table } from '../report/html/components/table.ts'
import { verdictBanner } from '../report/html/components/verdict-banner.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { extentOf, type ScanExtent, showCount } from '../report/html/scan-extent.ts'
import { type ProjectTableRow, showProjectRows } from '../report/html/show-projects.ts'
import { showTrend } from '../report/html/show-trend.ts'
import { showUnscanned } from '../report/html/show-unscanned.ts'
import { count } from '../text/count.ts'
import { countViolations, type ViolationCounts } from './count-violations.ts'
import { type RunWithPrevious, withPrevious } from './find-runs.ts'
import { paths, type SiteLink } from './link.ts'
import type { SiteHistory, SitePage } from './page.ts'
import { oncePerRun } from './per-run.ts'
import { showViolationRow } from './violation-row.ts'

const countsOf = oncePerRun(countViolations)
const trendOf = oncePerRun((history, run) => findTrend(history, { run, since: undefined, projects: [] }))

const [mostNew, mostChanges, mostRules] = [10, 10, 8]
/** Without a schedule, a scan is old after this. */
const staleMs = 25 * 3_600_000

/** The first page: what could not be scanned, the verdict, what is new, the projects. */
export const overviewPage: SitePage = {
  path: '/',
  parameters: [],
  isOfRun: true,
  async show({ history, run, isLatest, now, link }) {
    const scans = await history.latestScans(run.number)
    const counts = await countsOf(history, run)
    const recent = await withPrevious(history, run)
    const trend = await trendOf(history, run)
    const extent = extentOf(scans.flatMap(toCoverage))
    return {
      title: 'Overview',
      crumbs: [],
      alarm: html`${isLatest ? showAge(run, now) : nothing}${showUnscanned({ coverage: scans.flatMap(toCoverage) })}`,
      body: html`${await showVerdict(history, run, { counts, recent, extent })}${showTrend(trend)}
${await showLatest(history, run, recent, link)}
${pageSection({ id: 'coverage', title: 'Projects', content: showProjectRows(rowsOf(scans, counts, link)) })}
${showRules(counts, link)}`,
      command: 'hookdrift status',
      json: link('/api/v1/status'),
    }
  },
}

/** Said loudly, because old numbers look like present ones. */
function showAge({ finishedAt }: CommittedRun, now: number): Markup {
  const ageMs = now - Date.parse(finishedAt)
  if (ageMs < staleMs) return nothing
  return html`<div class="unscanned unseen" role="note"><p><b>? The last run ended ${showOpenTime(ageMs)} ago.</b></p>
<p>What changed since then is unknown. <code>hookdrift status</code> says which schedule is late.</p></div>
`
}

interface Known {
  readonly counts: ViolationCounts
  readonly recent: RunWithPrevious
  readonly extent: ScanExtent
}

async function showVerdict(
  history: SiteHistory,
  run: CommittedRun,
  { counts, recent, extent }: Known,
): Promise<Markup> {
  const { ended, previous } = recent
  const resolved = previous === undefined ? [] : await history.resolvedBetween(previous.number, run.number)
  const open = totalOf(counts.open)
  const { word, outcome } = outcomeOf(ended?.exitCode ?? null)
  const atLeast = extent === 'all' ? '' : 'At least '
  return verdictBanner({
    ...{ word, outcome },
    sentence:
      extent === 'none'
        ? 'Nothing was scanned.'
        : `${atLeast}${count(open, 'open violation')} as of run ${run.number}.`,
    numbers: (['critical', 'high', 'medium'] as const).map((severity) => ({
      ...{ value: showCount(counts.open[severity], extent), label: severity, mark: severity },
      delta: previous === undefined ? [] : deltaOf(severity, counts, resolved),
    })),
    bar: severityBar(counts.open),
    facts: [
      `${counts.open.low} low and ${counts.open.info} info`,
      ...(counts.oldest === undefined
        ? []
        : [`oldest open: ${showOpenTime(Date.parse(run.startedAt) - Date.parse(counts.oldest))}`]),
      ...(counts.overdue === 0 ? [] : [`${counts.overdue} overdue`]),
      ...(counts.unknown === 0 ? [] : [`${counts.unknown} unknown`]),
      ...(counts.waived === 0 ? [] : [`${counts.waived} waived`]),
    ],
  })
}

function outcomeOf(exitCode: number | null): { word: string; outcome: 'passed' | 'failed' | 'unknown' } {
  if (exitCode === exitCodes.clean) return { word: 'Passed', outcome: 'passed' }
  if (exitCode === exitCodes.violations) return { word: 'Failed', outcome: 'failed' }
  return { word: 'Incomplete', outcome: 'unknown' }
}

function deltaOf(severity: Severity, { opened }: ViolationCounts, resolved: readonly ResolvedViolation[]): string[] {
  const ended = resolved.filter((violation) => violation.severity === severity)
  const fixed = ended.filter(({ resolution }) => isSolved(resolution ?? null)).length
  const closed = ended.length - fixed
  const parts = [
    ...(opened[severity] === 0 ? [] : [`+${opened[severity]} new`]),
    ...(fixed === 0 ? [] : [`−${fixed} fixed`]),
    ...(closed === 0 ? [] : [`−${closed} closed`]),
  ]
  return parts.length === 0 ? ['no change'] : parts
}

/** What is new: violations that this run opened, and what changed since the run before. */
async function showLatest(
  history: SiteHistory,
  run: CommittedRun,
  { previous }: RunWithPrevious,
  link: SiteLink,
): Promise<Markup> {
  if (previous === undefined) return nothing
  const { rows, omitted } = await readViolations(history, {
    ...{ run, states: new Set(['opened'] as const), after: 0, rule: undefined, severity: undefined, projects: [] },
    ...{ kind: undefined, owners: [], labels: [], before: undefined, overdueAt: undefined, sort: 'severity' as const },
    limit: mostNew,
  })
  const total = rows.length + (omitted === 'unknown' ? 0 : omitted)
  const diff = await readDiff(history, {
    ...{ from: previous, to: run, projects: [], kind: undefined, withPatch: false, limit: mostChanges },
  })
  const changes = diff.rows.length + (diff.omitted === 'unknown' ? 0 : diff.omitted)
  const all = html`<p><a href="${link('/compare', { from: previous.number, to: run.number })}">All of ${count(changes, 'change')}</a></p>`
  return html`${pageSection({
    ...{ id: 'new', title: 'New violations', count: total },
    content:
      total === 0
        ? emptyState(`Run ${run.number} opened no violation.`, 'none')
        : html`<ul class="rows">
${rows.map((row) => showViolationRow(row, link, run.startedAt))}</ul>
${total > rows.length ? html`<p><a href="${link('/violations', { since: String(run.number) })}">All of ${total}</a></p>` : nothing}`,
  })}${pageSection({
    ...{ id: 'changes', title: `Changed since run ${previous.number}`, count: changes },
    content:
      changes === 0
        ? emptyState('Nothing changed in what was scanned.', 'none')
        : html`<ul class="rows">
${diff.rows.map((change) => changeCard(change, [], link(paths.resource(change.uid), { project: change.project, kind: change.kind })))}</ul>
${all}`,
  })}`
}

function rowsOf(scans: readonly RecordedScan[], counts: ViolationCounts, link: SiteLink): ProjectTableRow[] {
  const numbers = (project: string, which: 'open' | 'unknown') =>
    severities.map((severity) => counts.byProject.get(project)?.[which][severity] ?? 0)
  const scanned = scans.map((scan): ProjectTableRow => {
    const { name } = scan.project
    const walks = toCoverage(scan)
    return {
      ...{ project: name, walks, extent: extentOf(walks), notEvaluated: 0, scannedAt: scan.run.finishedAt },
      ...{ open: numbers(name, 'open'), unknown: numbers(name, 'unknown') },
      ...(isProjectList(scan.project) ? {} : { href: link(paths.project(name)) }),
    }
  })
  const own = policyProject.name
  const isOwn = counts.byProject.has(own)
  const policy = { project: own, walks: [], extent: 'all' as const, notEvaluated: 0 }
  return isOwn ? [...scanned, { ...policy, open: numbers(own, 'open'), unknown: numbers(own, 'unknown') }] : scanned
}

function showRules({ byRule }: ViolationCounts, link: SiteLink): Markup {
  const sorted = [...byRule].sort(
    ([, a], [, b]) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.open - a.open,
  )
  if (sorted.length === 0) return nothing
  const rows = sorted.map(
    ([rule, { severity, open }]) =>
      html`<tr><th scope="row"><a href="${link(paths.rule(rule))}"><code>${rule}</code></a></th>${cell('Severity', html`<span class="chip ${severity}">${severity}</span>`)}${cell('Open', html`<a href="${link('/violations', { rule })}">${open}</a>`, 'n')}</tr>
`,
  )
  const shown = (some: readonly Markup[]) =>
    table('Rules violated', [{ title: 'Rule' }, { title: 'Severity' }, { title: 'Open', isNumber: true }], some)
  const rest = rows.slice(mostRules)
  return pageSection({
    ...{ id: 'rules', title: 'Rules violated', count: sorted.length },
    content: html`${shown(rows.slice(0, mostRules))}${rest.length === 0 ? nothing : foldRest(`${rest.length} more`, shown(rest))}`,
  })
}
