import { isOpen } from '../model/violation.ts'
import { anchorOf } from './document/blocks.ts'
import { asHtml, asSections, type DocumentLinks } from './document/html.ts'
import { command, factList } from './html/components/parts.ts'
import { html as markup } from './html/markup.ts'
import { plotSections } from './html/plots.ts'
import { renderPage } from './html/render-page.ts'
import { showTrend } from './html/show-trend.ts'
import { reportDocument } from './report-document.ts'
import type { ReportFormat } from './report-format.ts'

/** Every violation has an entry. */
const links: DocumentLinks = { violation: (fingerprint) => `#${anchorOf('v', fingerprint)}` }

/** One page for people, to read on a screen or a phone, to print or to attach. */
export const html: ReportFormat = (report, { trend }) => {
  const { run, digests, tool, verdict } = report
  const { title, verdict: outcome, about, sections } = reportDocument(report, { full: true, isPage: true })
  const shown = asSections(sections, links)
  return renderPage({
    title: `${title}, hookdrift`,
    heading: markup`<p class="meta">Webhook configuration audit by ${tool.name} ${tool.version}</p>
<h1>${title}</h1>
`,
    verdict: markup`${asHtml([outcome])}${trend !== undefined && showTrend(trend)}${asHtml(about, links)}`,
    sections: shown.toSpliced(
      shown.findIndex(({ id }) => id === 'projects') + 1,
      0,
      ...plotSections(report.violations.filter(isOpen), { trend }),
    ),
    footer: factList([
      ['Made by', `${tool.name} ${tool.version}`],
      ['Exit code', String(verdict.exit_code)],
      ['Fails on', verdict.fail_on],
      ['Policy', markup`<code>${digests.policy}</code>`],
      ['Configuration', markup`<code>${digests.configuration}</code>`],
      ...(digests.chain === null ? [] : [['Chain', markup`<code>${digests.chain}</code>`] as const]),
      ['To print it again', command(['hookdrift', 'report', '--run', String(run.number), '--format', 'html'])],
      ['To check the history', command(['hookdrift', 'verify'])],
    ]),
  })
}
