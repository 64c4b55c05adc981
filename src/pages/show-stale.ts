import type { StatusRow } from '../questions/status.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { count } from '../text/count.ts'

const mostNamed = 6

/** That scans are stale, and why: what changed since then is unknown. No rows: none was ever scanned. */
export function showStale(stale: readonly StatusRow[]): Markup {
  const lines = [...Map.groupBy(stale, ({ reason }) => reason ?? '')].map(([reason, rows]) => {
    const left = rows.length - mostNamed
    const names = rows.slice(0, mostNamed).map(({ project }) => project)
    return html`<li><b>${reason}:</b> ${names.join(', ')}${left > 0 ? ` and ${left} more` : ''}</li>`
  })
  return html`<div class="unscanned unseen" role="note"><p><b>? ${stale.length === 0 ? 'No project was ever scanned' : `The scan of ${count(stale.length, 'project')} is stale`}.</b></p><ul>${lines}</ul><p>What is open and what changed there since then is unknown.</p></div>
`
}
