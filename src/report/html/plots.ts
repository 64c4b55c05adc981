import { count, countEach } from '../../model/text/count.ts'
import { showOpenTime } from '../../model/time.ts'
import type { SeverityTrend, Trend } from '../../model/trend.ts'
import { countSeverities, type Severity, severities, totalOf } from '../../model/violation.ts'
import { shorten } from '../text/shorten.ts'
import { fold, severityBar, severityChip } from './components/parts.ts'
import { cell, table } from './components/table.ts'
import { html, type Markup, nothing } from './markup.ts'
import type { PageSection } from './render-page.ts'

/** As wide as its place: the drawing is stretched, its strokes are not. */
const [width, height] = [1000, 120]

/** Open violations over a period, which is named, as areas, the worst severity at the bottom, with their numbers. Needs two days. */
export function plotOpen({ from, to, days, notes }: Trend, period: string): Markup {
  const totals = days.map(({ open }) => totalOf(open))
  const most = Math.max(1, ...totals)
  const x = (at: number) => ((at * width) / (days.length - 1)).toFixed(1)
  const y = (value: number) => (height - (value * height) / most).toFixed(1)
  let base = days.map(() => 0)
  const areas = severities.map((severity) => {
    const top = days.map(({ open }, at) => (base[at] ?? 0) + open[severity])
    const edges = [
      top.map((value, at) => [at, value] as const),
      base.map((value, at) => [at, value] as const).reverse(),
    ]
    base = top
    const points = edges.flat().map(([at, value]) => `${x(at)},${y(value)}`)
    return html`<polygon class="${severity}" points="${points.join(' ')}"/>`
  })
  const start = Date.parse(from)
  const marks = notes.map(({ at }) => {
    const share = (Date.parse(at) - start) / Math.max(1, Date.parse(to) - start)
    return html`<path class="mark" d="M${(share * width).toFixed(1)} 0v${height}"/>`
  })
  const [first, last] = [days[0], days.at(-1)]
  const each = last === undefined ? '' : countEach(severities, last.open)
  const described = `${totals[0]} at first, ${totals.at(-1)} at last${each === '' ? '' : ` (${each})`}, ${most} at most`
  return html`<figure class="plot"><figcaption>Open violations by severity over ${period} ${severities.map(severityChip)}</figcaption>
<div class="area"><span>${Math.max(...totals)}</span><svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-labelledby="open-title open-desc"><title id="open-title">Open violations by severity over ${period}</title><desc id="open-desc">${described}</desc>${areas}${marks}</svg><span>0</span></div>
<p class="ends soft"><span>${first?.date ?? ''}</span> <span>${last?.date ?? ''}</span></p>
${fold(html`Numbers`, numbersOf(days))}</figure>
`
}

const mostLines = 14

/** The days of a plot as a table, the last one first; of many, some at equal distances. */
function numbersOf(days: Trend['days']): Markup {
  const step = Math.ceil(days.length / mostLines)
  const lines = days.toReversed().filter((_, at) => at % step === 0)
  const columns = [{ title: 'Day' }, ...severities.map((title) => ({ title, isNumber: true }))]
  return table(
    'Open violations by day',
    columns,
    lines.map(({ date, open }) => {
      const cells = severities.map((severity) => cell(severity, open[severity], 'n'))
      return html`<tr><th scope="row">${date}</th>${cells}</tr>
`
    }),
  )
}

/** An open violation, by what bars are of. */
interface PlottedViolation {
  readonly severity: Severity
  readonly project: string
  readonly owner?: string | null
}

/** Where the name of a bar leads; undefined: nowhere. */
interface PlotLinks {
  readonly project?: (name: string) => string
  readonly owner?: (name: string) => string
}

/** Open violations by project and by owner, and how long fixing took: bars, each with its number. */
export function plotSections(
  open: readonly PlottedViolation[],
  { trend, links = {} }: { readonly trend: Trend | undefined; readonly links?: PlotLinks },
): readonly PageSection[] {
  if (open.length === 0 && (trend?.all.fixed ?? 0) === 0) return []
  const byProject = barsOf(open, ({ project }) => project, links.project)
  const byOwner = barsOf(open, ({ owner }) => owner ?? '', links.owner)
  const plots = [
    open.length > 0 && showBars('Open by project', 'Project', byProject),
    byOwner.length > 0 && showBars('Open by owner', 'Owner', byOwner),
    trend !== undefined && plotFixing(trend.bySeverity),
  ]
  const content = html`<div class="plots">${plots.map((plot) => html`${plot}`)}</div>`
  return [{ id: 'plots', title: 'Where, whose, and how long', content }]
}

interface Bar {
  readonly name: Markup
  readonly counts: Readonly<Record<Severity, number>>
}

const mostBars = 8

/** The longest first. What has no name is left out. */
function barsOf(
  open: readonly PlottedViolation[],
  nameOf: (violation: PlottedViolation) => string,
  link: ((name: string) => string) | undefined,
): readonly Bar[] {
  return [...Map.groupBy(open, nameOf)]
    .filter(([name]) => name !== '')
    .sort(([a, those], [b, others]) => others.length - those.length || (a < b ? -1 : 1))
    .map(([name, violations]) => {
      const text = html`${shorten(name, 60)}`
      return {
        name: link === undefined ? text : html`<a href="${link(name)}">${text}</a>`,
        counts: countSeverities(violations),
      }
    })
}

function showBars(title: string, subject: string, all: readonly Bar[]): Markup {
  const bars = all.slice(0, mostBars)
  const most = Math.max(...bars.map(({ counts }) => totalOf(counts)))
  const rows = bars.map(
    ({ name, counts }) =>
      html`<tr><th scope="row">${name}</th><td>${severityBar(counts, most)}</td><td class="n">${totalOf(counts)}</td></tr>
`,
  )
  const omitted = all.length - bars.length
  return showBarTable(
    title,
    [subject, 'By severity', 'Open'],
    rows,
    omitted > 0 ? `and ${count(omitted, 'other')}` : '',
  )
}

/** The mean time to fix, by severity; that nothing was fixed. */
function plotFixing(bySeverity: readonly SeverityTrend[]): Markup {
  const fixed = bySeverity.flatMap(({ severity, mean_time_to_fix_ms: ms }) => (ms === null ? [] : [{ severity, ms }]))
  const most = Math.max(1, ...fixed.map(({ ms }) => ms))
  const rows = fixed.map(({ severity, ms }) => {
    const bar = html`<svg class="bar" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true"><rect class="${severity}" x="0" y="0" width="${Math.max(2, (ms / most) * 1000).toFixed(1)}" height="8"/></svg>`
    return html`<tr><th scope="row">${severityChip(severity)}</th><td>${bar}</td><td class="n">${showOpenTime(ms)}</td></tr>
`
  })
  return rows.length === 0 ? nothing : showBarTable('Mean time to fix', ['Severity', 'Compared', 'Time'], rows, '')
}

function showBarTable(title: string, columns: readonly string[], rows: readonly Markup[], more: string): Markup {
  const heads = columns.map((column) => html`<th scope="col">${column}</th>`)
  return html`<figure class="plot"><figcaption>${title}</figcaption><table class="bars" aria-label="${title}"><thead><tr>${heads}</tr></thead><tbody>
${rows}</tbody></table>${more !== '' && html`<p class="soft">${more}</p>`}</figure>
`
}
