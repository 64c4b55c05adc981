import type { StatusRow } from '../../queries/read-status.ts'
import { showOpenTime } from '../../report/compliance/show-open-time.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { showTime } from '../../report/text/show-time.ts'
import { count } from '../../text/count.ts'
import type { SiteRequest } from '../page.ts'

/** That scans are missing: what changed since is unknown. Nothing when none is. */
export function showStale(rows: readonly StatusRow[], { run, now, isLatest }: SiteRequest): Markup {
  const stale = rows.filter((row) => row.stale)
  if (stale.length === 0 || !isLatest) return nothing
  const age = showOpenTime(now - Date.parse(run.finishedAt))
  const isAll = stale.length === rows.length
  const what = isAll
    ? `No project was scanned since ${showTime(run.finishedAt)}, ${age} ago.`
    : `${stale.length} of ${count(rows.length, 'project')} ${stale.length === 1 ? 'was' : 'were'} not scanned for too long: ${stale
        .slice(0, 4)
        .map(({ project }) => project)
        .join(', ')}${stale.length > 4 ? ` and ${stale.length - 4} more` : ''}.`
  return html`<div class="unscanned unseen" role="note"><p><b>? ${what}</b></p>
<p>What changed since then is unknown.</p></div>
`
}
