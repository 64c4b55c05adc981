import type { Report, ReportViolation } from '../model/report.ts'
import { type FailOn, isOpen, leastNew } from '../model/violation.ts'
import { count } from '../text/count.ts'
import { acceptedBefore } from './accepted-before.ts'
import { type EndingName, endingNames, nameEnding } from './describe-ending.ts'
import { describeNotice } from './describe-notice.ts'
import { checkedExtentOf, gapsOf, isFirstScan, newViolations } from './gaps.ts'
import { acceptedRow, showViolations } from './html/components/finding-row.ts'
import { command, emptyState, factList, fold, rowList } from './html/components/parts.ts'
import { type Markup, html as markup } from './html/markup.ts'
import { plotSections } from './html/plots.ts'
import { type PageSection, renderPage } from './html/render-page.ts'
import { causeSection } from './html/show-causes.ts'
import { changeSections } from './html/show-changes.ts'
import { showCoverage, showUnscanned } from './html/show-coverage.ts'
import { showProjects } from './html/show-projects.ts'
import { groupByRule, type RuleGroup, showRuleGroups, showRuleIndex } from './html/show-rules.ts'
import { showTrend } from './html/show-trend.ts'
import { showVerdict } from './html/show-verdict.ts'
import { subjectOf } from './report-document.ts'
import type { ReportFormat } from './report-format.ts'
import { showDuration, showTime } from './text/show-time.ts'
import { atLeast } from './verdict.ts'

/** One page for people, to read on a screen or a phone, to print or to attach. */
export const html: ReportFormat = (report, { trend }) => {
  const { run, digests, tool, verdict } = report
  const [opened = [], continuing = []] = groupsOf(report)
  const groups = [...opened, ...continuing]
  const plots = plotSections(report.violations.filter(isOpen), { trend })
  return renderPage({
    title: `${subjectOf(report)}, hookdrift run ${run.number}, ${showTime(run.started_at)}`,
    heading: showSubject(report),
    alarm: showUnscanned(report),
    verdict: markup`${showVerdict(report)}${trend !== undefined && showTrend(trend)}`,
    sections: sectionsOf(report, opened, continuing, plots),
    ...(groups.length === 0 ? {} : { aside: showAside(groups) }),
    footer: factList([
      ['Made by', `${tool.name} ${tool.version}`],
      ['Exit code', String(verdict.exit_code)],
      ['Policy', markup`<code>${digests.policy}</code>`],
      ['Configuration', markup`<code>${digests.configuration}</code>`],
      ...(digests.chain === null ? [] : [['Chain', markup`<code>${digests.chain}</code>`] as const]),
      ['To print it again', command(['hookdrift', 'report', '--run', String(run.number), '--format', 'html'])],
      ['To check the history', command(['hookdrift', 'verify'])],
    ]),
  })
}

/** New violations and known ones, by rule. In a first scan all are new, which says nothing: they count as known. */
function groupsOf(report: Report): readonly (readonly RuleGroup[])[] {
  const open = report.violations.filter(isOpen)
  const fresh = newViolations(report)
  const isFresh = new Set(fresh)
  return groupByRule([fresh, open.filter((violation) => !isFresh.has(violation))], report)
}

function sectionsOf(
  report: Report,
  opened: readonly RuleGroup[],
  continuing: readonly RuleGroup[],
  plots: readonly PageSection[],
): PageSection[] {
  const { run, notices } = report
  const areOld = continuing.every(({ violations }) => violations.every(({ state }) => state !== 'opened'))
  return [
    ...causeSection(report),
    ...changeSections(report, opened),
    { id: 'projects', title: 'Projects', content: showProjects(report) },
    ...plots,
    {
      id: 'violations',
      title: isFirstScan(report) ? 'Open violations' : areOld ? 'Open since earlier runs' : 'Also open',
      ...(continuing.length === 0 ? {} : { count: countViolations(continuing) }),
      content: continuing.length === 0 ? showNone(report) : showRuleGroups(continuing, run.started_at),
    },
    ...showOthers(report),
    ...(notices.length === 0
      ? []
      : [{ id: 'notices', title: 'Notices', count: notices.length, content: showNotices(notices) }]),
    { id: 'coverage', title: 'Coverage', content: showCoverage(report) },
  ]
}

function showAside(groups: readonly RuleGroup[]): Markup {
  return markup`<nav aria-label="Rules"><h2>Rules violated</h2>
${showRuleIndex(groups)}</nav>
`
}

function showNone(report: Report): Markup {
  const extent = checkedExtentOf(report)
  if (extent === 'all') return emptyState('None.', 'none')
  return emptyState(
    extent === 'some' ? 'None in what could be checked; the rest is unknown.' : 'Unknown: nothing was scanned.',
    'unknown',
  )
}

function showNotices(notices: Report['notices']): Markup {
  const items = notices.map(
    (notice) => markup`<li>${describeNotice(notice)}</li>
`,
  )
  return markup`<ul class="rows">
${items}</ul>
`
}

function countViolations(groups: readonly RuleGroup[]): number {
  return groups.reduce((sum, { violations }) => sum + violations.length, 0)
}

/** What the page is about, and as of which run. */
function showSubject(report: Report): Markup {
  const { run, tool, coverage, verdict } = report
  const took = showDuration(run.started_at, run.finished_at)
  const walks = coverage.filter(({ status }) => status !== 'skipped').length
  const facts = [
    `Run ${run.number}`,
    showTime(run.started_at),
    ...(took === '' ? [] : [`took ${took}`]),
    `${walks - gapsOf(coverage).length} of ${count(walks, 'listing')} complete`,
    describeFailOn(verdict.fail_on),
  ]
  return markup`<p class="meta">Webhook configuration audit by ${tool.name} ${tool.version}</p>
<h1>${subjectOf(report)}</h1>
<p class="meta">${facts.join(' · ')}</p>
`
}

function describeFailOn(failOn: FailOn): string {
  if (failOn === 'never') return 'violations fail no run'
  return failOn === 'new' ? `fails at new violations of ${atLeast(leastNew)}` : `fails at ${atLeast(failOn)}`
}

/** Violations that are not open, a section for each state. */
function showOthers(report: Report): PageSection[] {
  const { violations, run } = report
  const accepted = acceptedBefore(report)
  const inState = (name: ReportViolation['state']) => violations.filter(({ state }) => state === name)
  const rows = (alike: readonly ReportViolation[]) => showViolations(alike, { at: run.started_at, isNamed: true })
  const [unknown, waived, resolved] = [inState('unknown'), inState('waived'), inState('resolved')]
  const sections: PageSection[] = [
    {
      id: 'unknown',
      title: 'Unknown',
      note: 'Open or waived when last seen, and not checked by this run.',
      content: rows(unknown),
      count: unknown.length,
    },
    {
      id: 'waived',
      title: 'Waived',
      note: 'Accepted by the policy until a date.',
      content: rows(waived),
      count: waived.length,
    },
    {
      id: 'accepted',
      title: 'Accepted before',
      note: 'Accepted by people with the value that it has, until they revoke it. No run counts these.',
      content: rowList(accepted.map((acceptance) => acceptedRow(acceptance, 'accepted'))),
      count: accepted.length,
    },
    { id: 'ended', title: 'Ended', content: showEnded(resolved, rows), count: resolved.length },
  ]
  return sections.filter((section) => section.count !== 0)
}

const titles = {
  fixed: 'Fixed',
  removed: 'Removed with their resource',
  approved: 'Approved with a baseline',
  accepted: 'Accepted by people',
  'switched off': 'Switched off by the policy',
  'no longer required': 'No longer required by the policy',
  expired: 'Expired: reported for as long as the policy asks',
  ended: 'Cause not recorded',
} as const satisfies Record<EndingName, string>

/** Violations that ended, by how: those that are gone first. */
function showEnded(ended: readonly ReportViolation[], rows: (alike: readonly ReportViolation[]) => Markup): Markup {
  const groups = Map.groupBy(ended, nameEnding)
  return markup`${endingNames.flatMap((name) => {
    const ofState = groups.get(name) ?? []
    return ofState.length === 0
      ? []
      : [fold(markup`${titles[name]}: ${count(ofState.length, 'violation')}`, rows(ofState), true)]
  })}`
}
