import { type Severity, severities, totalOf } from '../../../model/violation.ts'
import { count, countEach } from '../../../text/count.ts'
import { html, type Markup, nothing } from '../markup.ts'

/** A severity as icon, word and colour: none of them alone carries it. The style sheet adds the icon. */
export function severityChip(severity: Severity): Markup {
  return html`<span class="chip ${severity}">${severity}</span>`
}

/** Open violations by severity as one bar; nothing when there are none. Numbers next to it are its legend. */
export function severityBar(counts: Readonly<Record<Severity, number>>): Markup {
  const total = totalOf(counts)
  if (total === 0) return nothing
  let x = 0
  const parts = severities.flatMap((severity) => {
    const width = (counts[severity] / total) * 1000
    const part = html`<rect class="${severity}" x="${x.toFixed(1)}" y="0" width="${Math.max(width - 2, 1).toFixed(1)}" height="8"/>`
    x += width
    return counts[severity] === 0 ? [] : [part]
  })
  return html`<svg class="bar" viewBox="0 0 1000 8" preserveAspectRatio="none" role="img" aria-label="${count(total, 'open violation')}: ${countEach(severities, counts)}">${parts}</svg>
`
}
