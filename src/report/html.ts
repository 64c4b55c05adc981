import type { Report } from '../model/report.ts'
import { isOpen } from '../model/violation.ts'
import { describeNotice } from './describe-notice.ts'
import { command } from './html/components/command.ts'
import { emptyState } from './html/components/empty-state.ts'
import { factList } from './html/components/facts.ts'
import { type Markup, html as markup, nothing } from './html/markup.ts'
import { type PageSection, renderPage } from './html/render-page.ts'
import { groupByRule, type RuleGroup } from './html/rule-groups.ts'
import { extentOf } from './html/scan-extent.ts'
import { causeSection } from './html/show-causes.ts'
import { changeSections } from './html/show-changes.ts'
import { showCoverage } from './html/show-coverage.ts'
import { showOthers } from './html/show-others.ts'
import { showProjects } from './html/show-projects.ts'
import { showRuleGroups, showRuleIndex } from './html/show-rules.ts'
import { describeSubject, showSubject } from './html/show-subject.ts'
import { showTrend } from './html/show-trend.ts'
import { showUnscanned } from './html/show-unscanned.ts'
import { showVerdict } from './html/show-verdict.ts'
import type { ReportFormat } from './report-format.ts'
import { isFirstScan, newViolations } from './scanned-extent.ts'
import { showTime } from './text/show-time.ts'

/** One page for people, to read on a screen or a phone, to print or to attach. */
export const html: ReportFormat = (report, { trend }) => {
  const { run, digests, tool, verdict } = report
  const [opened = [], known = []] = groupsOf(report)
  const groups = [...opened, ...known]
  return renderPage({
    title: `${describeSubject(report)}, hookdrift run ${run.number}, ${showTime(run.started_at)}`,
    heading: showSubject(report),
    alarm: showUnscanned(report),
    verdict: markup`${showVerdict(report)}${trend === undefined ? nothing : showTrend(trend)}`,
    sections: sectionsOf(report, opened, known),
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

function sectionsOf(report: Report, opened: readonly RuleGroup[], known: readonly RuleGroup[]): PageSection[] {
  const { run, notices } = report
  const isFirst = isFirstScan(report)
  return [
    ...causeSection(report),
    ...changeSections(report, opened),
    { id: 'projects', title: 'Projects', content: showProjects(report) },
    {
      id: 'violations',
      title: isFirst ? 'Open violations' : 'Open since earlier runs',
      ...(known.length === 0 ? {} : { count: countViolations(known) }),
      content: known.length === 0 ? showNone(report) : showRuleGroups(known, run.started_at),
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

function showNone({ coverage }: Report): Markup {
  const extent = extentOf(coverage)
  if (extent === 'all') return emptyState('None.', 'none')
  return emptyState(extent === 'some' ? 'None in what was scanned.' : 'Unknown: nothing was scanned.', 'unknown')
}

function showNotices(notices: Report['notices']): Markup {
  const shown = notices.map(
    (notice) => markup`<li>${describeNotice(notice)}</li>
`,
  )
  return markup`<ul class="rows">
${shown}</ul>
`
}

function countViolations(groups: readonly RuleGroup[]): number {
  return groups.reduce((sum, { violations }) => sum + violations.length, 0)
}
