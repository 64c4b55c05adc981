import { missedTick } from '../app/worker/next-times.ts'
import type { PlannedRuns } from '../config/configuration.ts'
import type { Move } from '../history/lease-owner.ts'
import { count } from '../model/text/count.ts'
import { isoTime } from '../model/time.ts'
import type { StatusRow } from '../questions/status.ts'
import { showInstant } from '../report/html/components/parts.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'

const mostNamed = 6

/** That scans are stale, and why: what is open there now is unknown. No rows: none was ever scanned. */
export function showStale(stale: readonly StatusRow[]): Markup {
  const lines = [...Map.groupBy(stale, ({ reason }) => reason ?? '')].map(([reason, rows]) => {
    const omitted = rows.length - mostNamed
    const names = rows.slice(0, mostNamed).map(({ project }) => project)
    return html`<li><b>${reason}:</b> ${names.join(', ')}${omitted > 0 && ` and ${omitted} more`}</li>`
  })
  return html`<div class="unscanned unseen" role="note"><p><b>? ${stale.length === 0 ? 'No project was ever scanned' : `The scan of ${count(stale.length, 'project')} is stale`}.</b></p><ul>${lines}</ul><p>What is open there now is unknown.</p></div>
`
}

/** That audits go on elsewhere. Where is for `status` to say: it names files and hosts. */
export function showMoved(move: Move | undefined): Markup {
  if (move === undefined) return nothing
  return html`<div class="unscanned unseen" role="note"><p><b>? This history was moved ${showInstant(move.at)}, and takes no more runs.</b></p><p>What is open and what changed since then is in the new place, which <code>hookdrift status</code> names.</p></div>
`
}

/**
 * That a run of a schedule was due and has not come, as far as the history shows it; nothing where none was due.
 * @param scans when the last scans of its projects ended, ISO 8601; null: never. A schedule need not have started them.
 */
export function showMissed(schedule: PlannedRuns, scans: readonly (string | null)[], now: number): Markup {
  const ended = scans.flatMap((at) => (at === null ? [] : [Date.parse(at)]))
  if (ended.length === 0) return html`<b class="bad">? no run yet</b>`
  const since = ended.reduce((first, at) => Math.min(first, at))
  const missed = missedTick(schedule, since, now)
  if (missed === undefined) return nothing
  const due = showInstant(isoTime(missed.due))
  if (now <= missed.until) return html`due at ${due}, may take until ${showInstant(isoTime(missed.until))}`
  return html`<b class="bad">? no run since ${showInstant(isoTime(since))}, due at ${due}</b>`
}
