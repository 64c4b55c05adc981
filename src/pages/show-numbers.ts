import { type Severity, severities } from '../model/violation.ts'
import { severityBar } from '../report/html/components/severity.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { type ScanExtent, showCount } from '../report/html/scan-extent.ts'

/** Open violations by severity: a figure each, and as a bar. What was not scanned may hide more. */
export function showNumbers(counts: Readonly<Record<Severity, number>>, extent: ScanExtent): Markup {
  const figures = severities.map((severity) => showFigure(severity, showCount(counts[severity], extent)))
  return html`<ul class="numbers">${figures}</ul>${severityBar(counts)}`
}

function showFigure(severity: Severity, shown: string): Markup {
  const kind = shown === '?' ? ' unseen' : shown === '0' ? ' quiet' : ''
  return html`<li class="figure ${severity}${kind}"><b>${shown}</b> <span class="label">${severity}</span></li>
`
}
