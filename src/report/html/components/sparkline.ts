import { html, type Markup, nothing } from '../markup.ts'

interface Sparkline {
  /** At equal distances, oldest first; at least two. */
  readonly values: readonly number[]
  /** What it shows, in words: for those who do not see it. */
  readonly label: string
}

const [width, height, margin] = [320, 40, 4]

/** A line without axes: its first and last value are marked, and written next to it. Nothing where there is no line. */
export function sparkline({ values, label }: Sparkline): Markup {
  const [first, last] = [values.at(0), values.at(-1)]
  if (first === undefined || last === undefined || values.length < 2) return nothing
  const most = Math.max(1, ...values)
  const x = (at: number) => (margin + (at * (width - 2 * margin)) / (values.length - 1)).toFixed(1)
  const y = (value: number) => (height - margin - (value * (height - 2 * margin)) / most).toFixed(1)
  const points = values.map((value, at) => `${x(at)},${y(value)}`).join(' ')
  return html`<span class="sparkline"><span>${first}</span><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}"><polyline points="${points}"/><circle cx="${x(0)}" cy="${y(first)}" r="3"/><circle cx="${x(values.length - 1)}" cy="${y(last)}" r="3"/></svg><b>${last}</b></span>`
}
