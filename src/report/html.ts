import type { Report } from '../model/report.ts'
import { describeNotice } from './describe-notice.ts'
import { gapsOf } from './gaps.ts'
import { type Markup, html as markup } from './html/markup.ts'
import { type PageSection, renderPage } from './html/render-page.ts'
import { showCoverage } from './html/show-coverage.ts'
import { showDrift } from './html/show-drift.ts'
import { showOverview } from './html/show-overview.ts'
import { showOpen, showOthers } from './html/show-violations.ts'
import type { ReportFormat } from './report-format.ts'
import { showTime } from './text/show-time.ts'

/** One page for people, to read on a screen or a phone, to print or to attach. */
export const html: ReportFormat = (report) => {
  const { run, verdict, digests, tool } = report
  return renderPage({
    title: `hookdrift run ${run.number}, ${showTime(run.started_at)}`,
    heading: 'Webhook configuration audit',
    verdict: { text: `${verdict.text} Exit code ${verdict.exit_code}.`, isGood: verdict.exit_code === 0 },
    sections: sectionsOf(report),
    footer: [
      ['Policy', digests.policy],
      ['Configuration', digests.configuration],
      ...(digests.chain === null ? [] : [['Chain', digests.chain] as const]),
      ['To print it again', `hookdrift report --run ${run.number} --format html`],
      ['To check the history', 'hookdrift verify'],
    ],
    tool,
  })
}

function sectionsOf(report: Report): PageSection[] {
  const { notices } = report
  const coverage = { id: 'coverage', title: 'Coverage', content: showCoverage(report) }
  // Gaps come before the findings, because they limit what the findings mean.
  const isIncomplete = gapsOf(report.coverage).length > 0
  return [
    { id: 'overview', title: 'Overview', content: showOverview(report) },
    ...(notices.length === 0 ? [] : [{ id: 'notices', title: 'Notices', content: showNotices(notices) }]),
    ...(isIncomplete ? [coverage] : []),
    { id: 'violations', title: 'Open violations', content: showOpen(report) },
    { id: 'drift', title: 'Drift', content: showDrift(report) },
    ...showOthers(report),
    ...(isIncomplete ? [] : [coverage]),
  ]
}

function showNotices(notices: Report['notices']): Markup {
  const shown = notices.map(
    (notice) => markup`<li>${describeNotice(notice)}</li>
`,
  )
  return markup`<ul class="list">${shown}</ul>
`
}
