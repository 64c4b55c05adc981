import type { Note } from '../../model/note.ts'
import { count } from '../../model/text/count.ts'
import { dayMs, showOpenTime } from '../../model/time.ts'
import type { SeverityTrend, Trend } from '../../model/trend.ts'
import { showTime } from '../text/show-time.ts'
import { noteLine } from './components/parts.ts'
import { html, type Markup, nothing } from './markup.ts'
import { plotOpen } from './plots.ts'

/** How violations developed: open ones by day, what came and went in the last week, the time to fix. */
export function showTrend(
  trend: Trend,
  {
    leastDays = 2,
    stillOpen,
  }: {
    /** Nothing is shown of a history of fewer days. */
    readonly leastDays?: number
    /** How many violations that were opened in the last week are open, and where they are listed. */
    readonly stillOpen?: { readonly count: number; readonly href: string }
  } = {},
): Markup {
  const { from, to, days, weeks, bySeverity, notes } = trend
  const week = weeks.at(-1)
  if (week === undefined || days.length < leastDays) return nothing
  const period = count(Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / dayMs)), 'day')
  const openText =
    stillOpen !== undefined &&
    stillOpen.count !== 0 &&
    html` (<a href="${stillOpen.href}">${stillOpen.count} still open</a>)`
  const facts = [
    html`in the last 7 days: opened ${week.opened}${openText}, fixed ${week.fixed}, removed ${week.removed}, ended otherwise ${week.closed}${week.waived !== 0 && `, ${week.waived} waived at its end`}`,
    describeFixing(bySeverity, period),
    ...(week.incomplete === 0 ? [] : [`${week.incomplete} of ${count(week.runs, 'run')} incomplete`]),
  ]
  return html`<div class="trend">${days.length >= 2 && plotOpen(trend, period)}<ul class="inline">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>${showNotes(notes)}</div>
`
}

const mostNotes = 10

/** What people did in the period, each a mark in the line. */
function showNotes(notes: readonly Note[]): Markup {
  if (notes.length === 0) return nothing
  const lines = notes.slice(0, mostNotes).map((note) => html`<li>${noteLine(note, showTime(note.at))}</li>`)
  const omitted = notes.length - lines.length
  const more = omitted !== 0 && html`<li>and ${count(omitted, 'more note')}</li>`
  return html`<div class="soft">Noted:<ul class="plain">${lines}${more}</ul></div>`
}

/** `mean time to fix: 3 d (2 h of critical, 5 d of high)`, by what was fixed in the period. */
function describeFixing(bySeverity: readonly SeverityTrend[], period: string): string {
  const withMean = bySeverity.flatMap(({ severity, fixed, mean_time_to_fix_ms: mean }) =>
    mean === null ? [] : [{ severity, fixed, mean }],
  )
  const fixed = withMean.reduce((sum, one) => sum + one.fixed, 0)
  if (fixed === 0) return `no fixes in ${period}`
  const mean = withMean.reduce((sum, one) => sum + one.mean * one.fixed, 0) / fixed
  const each = withMean.map((one) => `${showOpenTime(one.mean)} of ${one.severity}`).join(', ')
  return `mean time to fix: ${showOpenTime(mean)} (${each})`
}
