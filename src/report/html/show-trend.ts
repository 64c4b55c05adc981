import type { Note } from '../../model/note.ts'
import { dayMs, showOpenTime } from '../../model/time.ts'
import type { SeverityTrend, Trend } from '../../model/trend.ts'
import { totalOf } from '../../model/violation.ts'
import { count } from '../../text/count.ts'
import { showTime } from '../text/show-time.ts'
import { noteLine } from './components/parts.ts'
import { html, type Markup, nothing } from './markup.ts'

/** How violations developed: open ones as a line, what came and went in the last week, the time to fix. */
export function showTrend(
  { from, to, days, weeks, bySeverity, notes }: Trend,
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
  const week = weeks.at(-1)
  if (week === undefined || days.length < leastDays) return nothing
  const period = count(Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / dayMs)), 'day')
  const values = days.map(({ open }) => totalOf(open))
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const label = `Open violations over ${period}: ${values.at(0)} at first, ${values.at(-1)} at last, ${most} at most`
  const openText =
    stillOpen !== undefined &&
    stillOpen.count !== 0 &&
    html` (<a href="${stillOpen.href}">${stillOpen.count} still open</a>)`
  const facts = [
    html`in the last 7 days: opened ${week.opened}${openText}, fixed ${week.fixed}, removed ${week.removed}, ended otherwise ${week.closed}`,
    describeFixing(bySeverity, period),
    ...(week.incomplete === 0 ? [] : [`${week.incomplete} of ${count(week.runs, 'run')} incomplete`]),
  ]
  // A line needs two days.
  const line =
    days.length >= 2 &&
    html`<p class="soft">Open, ${period}: ${least === most ? `always ${most}` : `${least} to ${most}`}</p>
${sparkline({ values, label, marks: notes.map(({ at }) => shareOf(at, { from, to })) })}`
  return html`<div class="trend">${line}<ul class="inline">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>${showNotes(notes)}</div>
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

/** Where in a period a time is, from 0 to 1. */
function shareOf(at: string, { from, to }: Pick<Trend, 'from' | 'to'>): number {
  const start = Date.parse(from)
  return (Date.parse(at) - start) / Math.max(1, Date.parse(to) - start)
}

/** `mean time to fix: 3 d (2 h of critical, 5 d of high)`, by what was fixed in the period. */
function describeFixing(bySeverity: readonly SeverityTrend[], period: string): string {
  const withMean = bySeverity.flatMap(({ severity, fixed, mean_time_to_fix_ms: mean }) =>
    mean === null ? [] : [{ severity, fixed, mean }],
  )
  const fixed = withMean.reduce((sum, one) => sum + one.fixed, 0)
  if (fixed === 0) return `nothing was fixed in ${period}`
  const mean = withMean.reduce((sum, one) => sum + one.mean * one.fixed, 0) / fixed
  const each = withMean.map((one) => `${showOpenTime(one.mean)} of ${one.severity}`).join(', ')
  return `mean time to fix: ${showOpenTime(mean)} (${each})`
}

/** As wide as its place: the drawing is stretched, its strokes are not. */
const [width, height, margin] = [1000, 56, 6]

/** A line without axes: its first and last value are marked, and written next to it. Nothing where there is no line. */
function sparkline({
  values,
  label,
  marks = [],
}: {
  /** At equal distances, oldest first; at least two. */
  readonly values: readonly number[]
  /** What it shows, in words: for those who do not see it. */
  readonly label: string
  /** What happened meanwhile, each as its share of the way from the first value to the last. */
  readonly marks?: readonly number[]
}): Markup {
  const [first, last] = [values.at(0), values.at(-1)]
  if (first === undefined || last === undefined || values.length < 2) return nothing
  const { least, span } = scaleOf(values)
  const x = (at: number) => ((at * width) / (values.length - 1)).toFixed(1)
  const y = (value: number) => (height - margin - ((value - least) * (height - 2 * margin)) / span).toFixed(1)
  const points = values.map((value, at) => `${x(at)},${y(value)}`).join(' ')
  const end = (at: number, value: number) => html`<path class="end" d="M${x(at)} ${y(value)}h0"/>`
  return html`<div class="sparkline"><span>${first}</span><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${marks.map((share) => html`<path class="mark" d="M${(share * width).toFixed(1)} 0v${height}"/>`)}<polyline points="${points}"/>${end(0, first)}${end(values.length - 1, last)}</svg><b>${last}</b></div>
`
}

/** From the least to the most, but at least a fifth of the most: a change of one in a hundred does not look like a fall. */
function scaleOf(values: readonly number[]): { readonly least: number; readonly span: number } {
  const [lowest, most] = [Math.min(...values), Math.max(...values)]
  const span = Math.max(most - lowest, most / 5, 1)
  return { least: Math.max(0, most - span), span }
}
