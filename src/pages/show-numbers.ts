import { type Severity, severities } from '../model/violation.ts'
import { type ScanExtent, showCount } from '../report/gaps.ts'
import { severityBar } from '../report/html/components/parts.ts'
import { html, type Markup } from '../report/html/markup.ts'

type Counts = Readonly<Record<Severity, number>>

/** Open violations by severity: a figure each, and as a bar. What was not scanned may hide more. */
export function showNumbers({
  open,
  unknown,
  extent,
}: {
  readonly open: Counts
  /** Violations that the last scan could not check, and that were open before. */
  readonly unknown: Counts
  readonly extent: ScanExtent
}): Markup {
  const figures = severities.map((severity) =>
    showFigure(severity, showCount(open[severity], extent), unknown[severity]),
  )
  return html`<ul class="numbers">${figures}</ul>${severityBar(open)}`
}

function showFigure(severity: Severity, figure: string, unknown: number): Markup {
  const kind = figure === '?' ? ' unseen' : figure === '0' ? ' quiet' : ''
  const then = unknown !== 0 && html`<span class="delta">${unknown} then</span>`
  return html`<li class="figure ${severity}${kind}"><b>${figure}</b> <span class="label">${severity}</span>${then}</li>
`
}
