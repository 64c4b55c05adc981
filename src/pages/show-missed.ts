import type { PlannedRuns } from '../config/read-places.ts'
import { isoTime } from '../model/time.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { missedTick } from '../worker/next-audit-due.ts'
import { showInstant } from './show-instant.ts'

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
