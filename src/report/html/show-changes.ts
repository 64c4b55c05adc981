import { changeTypes } from '../../model/change.ts'
import type { Report, ReportChange, ReportDrift, ReportViolation } from '../../model/report.ts'
import { count, countEach } from '../../text/count.ts'
import { describeRepairs } from '../describe-cause.ts'
import { notesNamed } from '../describe-notes.ts'
import { describeWindows } from '../describe-window.ts'
import { checkedExtentOf, describeNoDrift, extentOf, isAllCompared, isFirstScan } from '../gaps.ts'
import { changeCard } from './components/change-card.ts'
import { emptyState, noteList, type ReportLinks, rowList } from './components/parts.ts'
import { html, type Markup, nothing } from './markup.ts'
import type { PageSection } from './render-page.ts'
import { type RuleGroup, showRuleGroups } from './show-rules.ts'

/**
 * New violations, then changed resources. A first scan has nothing to compare with: its violations are merely found,
 * and one section says so.
 */
export function changeSections(report: Report, opened: readonly RuleGroup[], links?: ReportLinks): PageSection[] {
  const { drift } = report
  if (isFirstScan(report) && drift.length === 0) {
    return [{ id: 'changes', title: 'First scan', content: showFirstRun(report) }]
  }
  const number = opened.reduce((sum, group) => sum + group.violations.length, 0)
  const isCounted = extentOf(report.coverage) === 'all'
  return [
    {
      id: 'new',
      title: 'New violations',
      ...(number > 0 || checkedExtentOf(report) === 'all' ? { count: number } : {}),
      content: showOpened(report, opened, links),
    },
    {
      id: 'drift',
      title: 'Changed',
      ...(drift.length > 0 || isCounted ? { count: drift.length } : {}),
      content: showDrift(report, links),
    },
  ]
}

function showFirstRun({ projects, coverage }: Report): Markup {
  const resources = projects.flatMap((project) => Object.values(project.resources))
  const number = resources.reduce((sum, seen) => sum + seen, 0)
  if (extentOf(coverage) === 'none') {
    return emptyState('This is the first scan, and it read nothing: there is nothing to compare with yet.', 'unknown')
  }
  const remembered = number === 0 ? '' : ` It remembers ${count(number, 'resource')}.`
  return emptyState(`This is the first scan.${remembered} The next run reports what changed since.`, 'none')
}

function showOpened(report: Report, opened: readonly RuleGroup[], links?: ReportLinks): Markup {
  if (opened.length > 0) return showRuleGroups(opened, report.run.started_at, links)
  const extent = checkedExtentOf(report)
  if (extent === 'all') return emptyState('No new violation.', 'none')
  return emptyState(
    extent === 'some'
      ? 'No new violation in what could be checked; the rest is unknown.'
      : 'New violations are unknown.',
    'unknown',
  )
}

function showDrift(report: Report, links?: ReportLinks): Markup {
  const { drift, notes, projects, verdict, coverage, violations, notices } = report
  const extent = extentOf(coverage)
  if (drift.length === 0) {
    if (extent === 'all') return emptyState(describeNoDrift(report), isAllCompared(notices) ? 'none' : 'unknown')
    return extent === 'some'
      ? emptyState('Nothing changed in what was scanned; the rest is unknown.', 'unknown')
      : emptyState('Drift is unknown: nothing was scanned, so nothing could be compared.', 'unknown')
  }
  const opened = Map.groupBy(
    violations.filter(({ state }) => state === 'opened'),
    resourceKey,
  )
  const leadTo = links && ((fingerprint: string) => links.violation(fingerprint))
  const cards = drift.map((change) => {
    const repairs = describeRepairs(change)
    const meanwhile = html`${repairs !== '' && html`<p class="where">${repairs}</p>`}${showWindows([change], projects)}${noteList(notesNamed([change], notes), change.between.before)}`
    const options = { href: links?.resource(change), meanwhile, leadTo }
    return changeCard(change, opened.get(resourceKey(change)) ?? [], options)
  })
  return html`<p class="soft">Since the last complete scan: ${countEach(changeTypes, verdict.drift)}.</p>
${rowList(cards)}`
}

/** The change windows that some changes may have been made in. */
export function showWindows(changes: readonly ReportDrift[], projects: Report['projects']): Markup {
  const text = describeWindows(changes, projects)
  return text === '' ? nothing : html`<p class="where">${text}</p>`
}

function resourceKey({ project, kind, uid }: ReportChange | ReportViolation): string {
  return JSON.stringify([project, kind, uid])
}
