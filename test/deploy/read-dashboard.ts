import { textOf } from './build-image.ts'

export const dashboardFile = 'deploy/grafana/dashboards/hookdrift.json'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly datasource?: { readonly type: string; readonly uid: string }
  readonly gridPos: { readonly x: number; readonly w: number }
  readonly targets?: readonly { readonly expr?: string; readonly queryText?: string }[]
  readonly collapsed?: boolean
  readonly panels?: readonly Panel[]
}

export const dashboard = JSON.parse(textOf(dashboardFile))
const top: readonly Panel[] = dashboard.panels

export const rows = top.filter(({ type }) => type === 'row')
/** Those of rows too. A row itself shows nothing. */
export const panels = top.flatMap((panel) => (panel.type === 'row' ? (panel.panels ?? []) : [panel]))
