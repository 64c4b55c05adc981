/** One line of what `/metrics` answers. */
interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Scrape {
  /** Seconds since the epoch. */
  readonly at: number
  readonly samples: readonly Sample[]
}

interface Panel {
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly fieldConfig?: { readonly defaults?: { readonly unit?: string } }
  /** A row has none. */
  readonly targets?: readonly { readonly expr: string }[]
}

type Series = ReadonlyMap<string, number>

export function readScrape(at: number, text: string): Scrape {
  const lines = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)]
  return {
    at,
    samples: lines.map(([, name = '', labels = '', value]) => ({
      name,
      labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text])),
      value: Number(value),
    })),
  }
}

/**
 * The first rows of the Grafana dashboard, drawn from scrapes of a worker: titles, places and expressions are the
 * dashboard's own. Panels whose expressions need rates over hours are left out.
 */
export function dashboardPage(dashboard: { readonly panels: readonly Panel[] }, scrapes: readonly Scrape[]): string {
  const panels = dashboard.panels
    .filter(({ targets: [first] = [] }) => first !== undefined && !/rate\(|increase\(/.test(first.expr))
    .slice(0, 8)
  const cells = panels.map((panel) => {
    const { x, y, w, h } = panel.gridPos
    const place = `grid-column: ${x + 1} / span ${w}; grid-row: ${y + 1} / span ${h}`
    return `<section style="${place}"><h2>${panel.title}</h2>${draw(panel, scrapes)}</section>`
  })
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #111217; color: #ccccdc; font: 13px/18px system-ui, sans-serif }
main { display: grid; grid-template-columns: repeat(24, 1fr); grid-auto-rows: 19px; gap: 6px; padding: 12px; width: 1240px }
section { background: #181b1f; border: 1px solid #2a2d33; border-radius: 3px; padding: 6px 10px; overflow: hidden }
h2 { margin: 0 0 6px; font-size: 13px; font-weight: 600 }
.stats { display: flex; justify-content: space-evenly; align-items: center; height: 120px; text-align: center }
.stats b { display: block; font-size: 40px; line-height: 46px; font-weight: 600; color: #73bf69 }
.critical b { color: #f2495c } .high b { color: #ff9830 } .medium b { color: #fade2a } .low b, .info b { color: #8ab8ff }
table { width: 100%; border-collapse: collapse } td { border-top: 1px solid #2a2d33; padding: 1px 4px } td:last-child { text-align: right }
svg { width: 100%; height: 150px } .none { color: #8e8e99; text-align: center; padding-top: 50px }
</style><main>${cells.join('')}</main>`
}

function draw(panel: Panel, scrapes: readonly Scrape[]): string {
  const expression = panel.targets?.[0]?.expr ?? ''
  const last = scrapes.at(-1)
  if (last === undefined) return ''
  const now = evaluate(expression, last)
  const unit = panel.fieldConfig?.defaults?.unit ?? 'none'
  if (panel.type === 'stat') {
    const cells = [...now].map(
      ([label, value]) => `<div class="${label}"><b>${shown(value, unit, last.at)}</b>${label}</div>`,
    )
    return `<div class="stats">${cells.join('')}</div>`
  }
  if (panel.type === 'table') {
    const rows = [...now].sort((a, b) => b[1] - a[1]).slice(0, 6)
    if (rows.length === 0) return '<p class="none">No data</p>'
    return `<table>${rows.map(([label, value]) => `<tr><td>${label.replace(' ', '<td>')}<td>${value}</tr>`).join('')}</table>`
  }
  return lines(scrapes.map((scrape) => ({ at: scrape.at, series: evaluate(expression, scrape) })))
}

/** As much of PromQL as the dashboard's first rows use. Keys are the values of the labels that are kept. */
function evaluate(expression: string, { at, samples }: Scrape): Series {
  const of = (name: string) => samples.filter((sample) => sample.name === name)
  // One worker is scraped: the largest number of all workers is its own.
  const [, by, summed] = /sum by \(([^)]*)\) \((?:max by \([^)]*\) \()?(\w+)/.exec(expression) ?? []
  if (by !== undefined && summed !== undefined) {
    const keys = by.split(/, ?/)
    const sums = new Map<string, number>()
    for (const { labels, value } of of(summed)) {
      const key = keys.map((name) => labels[name] ?? '').join(' ')
      sums.set(key, (sums.get(key) ?? 0) + value)
    }
    return new Map([...sums].filter(([, value]) => value > 0))
  }
  const [, metric = '', status] = /(hookdrift_\w+)(?:\{status!~"([^"]*)"\})?/.exec(expression) ?? []
  const chosen = of(metric).filter(({ labels, value }) => {
    return status === undefined || (value > 0 && !new RegExp(`^(${status})$`).test(labels.status ?? ''))
  })
  if (expression.startsWith('count(')) return new Map([['', chosen.length]])
  if (expression.startsWith('max(time() -')) return new Map([['', Math.max(...chosen.map(({ value }) => at - value))]])
  if (expression.startsWith('time() -'))
    return new Map(chosen.map(({ labels, value }) => [labels.project ?? '', at - value]))
  const factor = expression.endsWith('* 1000') ? 1000 : 1
  return new Map(chosen.map(({ labels, value }) => [Object.values(labels).join(' '), value * factor]))
}

function shown(value: number, unit: string, at: number): string {
  if (unit === 's') return `${value.toFixed(1)} s`
  if (unit === 'dateTimeFromNow') return `in ${Math.max(0, Math.round(value / 1000 - at))} s`
  return String(value)
}

const palette: Readonly<Record<string, string>> = {
  critical: '#f2495c',
  high: '#ff9830',
  medium: '#fade2a',
  info: '#8ab8ff',
  low: '#8ab8ff',
}
const others = ['#73bf69', '#5794f2', '#b877d9', '#ff9830']

function lines(points: readonly { readonly at: number; readonly series: Series }[]): string {
  const names = [...new Set(points.flatMap(({ series }) => [...series.keys()]))]
  const top = Math.max(1, ...points.flatMap(({ series }) => [...series.values()])) * 1.15
  const [from, to] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1]
  const x = (at: number) => 34 + (540 * (at - from)) / Math.max(1, to - from)
  const y = (value: number) => 118 - (108 * value) / top
  const paths = names.map((name, index) => {
    const colour = palette[name] ?? others[index % others.length]
    const path = points.map(({ at, series }) => `${x(at).toFixed(1)},${y(series.get(name) ?? 0).toFixed(1)}`).join(' ')
    const key = `<text x="${34 + index * 120}" y="144" fill="${colour}">■ ${name}</text>`
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${key}`
  })
  const grid = [0, 0.5, 1].map((part) => {
    const at = y(top * part)
    return `<path d="M34 ${at}H574" stroke="#2a2d33"/><text x="28" y="${at + 4}" text-anchor="end" fill="#8e8e99">${Math.round(top * part)}</text>`
  })
  const span = `<text x="574" y="132" text-anchor="end" fill="#8e8e99">${Math.round(to - from)} s</text>`
  return `<svg viewBox="0 0 580 150" font-size="11">${grid.join('')}${span}${paths.join('')}</svg>`
}
