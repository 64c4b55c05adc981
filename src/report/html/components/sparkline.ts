import { html, type Markup, nothing } from '../markup.ts'

interface Sparkline {
  /** At equal distances, oldest first; at least two. */
  readonly values: readonly number[]
  /** What it shows, in words: for those who do not see it. */
  readonly label: string
  /** What happened meanwhile, each as its share of the way from the first value to the last. */
  readonly marks?: readonly number[]
}

/** As wide as its place: the drawing is stretched, its strokes are not. */
const [width, height, margin] = [1000, 56, 6]

/** A line without axes: its first and last value are marked, and written next to it. Nothing where there is no line. */
export function sparkline({ values, label, marks = [] }: Sparkline): Markup {
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
