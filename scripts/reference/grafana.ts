import { readFileSync } from 'node:fs'
import { parse, stringify } from 'yaml'

const textOf = (name: string) => readFileSync(new URL(`../../docs/monitoring/${name}`, import.meta.url), 'utf8')

/** Data sources of `deploy/grafana/provisioning/datasources`, by their `uid`. */
const prometheus = 'hookdrift-prometheus'
const history = { type: 'frser-sqlite-datasource', uid: 'hookdrift-history' }

/** Generated files, by their names in deploy/grafana. */
export const grafanaFiles: Readonly<Record<string, () => string>> = {
  'provisioning/alerting/hookdrift.yaml': alertRules,
  'dashboards/hookdrift.json': dashboardWithHistory,
}

interface PrometheusRule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** The alert rules of docs/monitoring/alerts.yaml as Grafana evaluates them itself. */
function alertRules(): string {
  const { groups }: { groups: readonly { name: string; rules: readonly PrometheusRule[] }[] } = parse(
    textOf('alerts.yaml'),
  )
  const provisioned = {
    apiVersion: 1,
    groups: groups.map(({ name, rules }) => ({
      orgId: 1,
      name,
      folder: 'hookdrift',
      interval: '1m',
      rules: rules.map(grafanaRule),
    })),
  }
  const head =
    '# Generated from docs/monitoring/alerts.yaml by `npm run reference`: change it there.\n' +
    '# For a Prometheus that has no alert rules of its own; never load both.\n'
  return head + stringify(provisioned, { lineWidth: 118 })
}

function grafanaRule({ alert, expr, for: pending = '0s', labels, annotations }: PrometheusRule) {
  // Prometheus fires for each series that an expression returns, with any number, 0 too, and not without a series.
  const data = [
    {
      refId: 'A',
      relativeTimeRange: { from: 600, to: 0 },
      datasourceUid: prometheus,
      model: { refId: 'A', expr, instant: true, range: false },
    },
    {
      refId: 'B',
      relativeTimeRange: { from: 0, to: 0 },
      datasourceUid: '__expr__',
      model: { refId: 'B', type: 'math', expression: 'is_number($A)' },
    },
  ]
  const inGrafana = Object.entries(annotations).map(([name, text]) => [
    name,
    text.replaceAll('{{ $value }}', '{{ $values.A.Value }}'),
  ])
  return {
    uid: alert.replace(/[A-Z]/g, (letter, index) => `${index > 0 ? '-' : ''}${letter.toLowerCase()}`),
    title: alert,
    condition: 'B',
    data,
    noDataState: 'OK',
    execErrState: 'Error',
    for: pending,
    labels,
    annotations: Object.fromEntries(inGrafana),
  }
}

/** `$__from` and `$__to` are the ends of the shown time, in milliseconds. */
const inShownTime = ['from', 'to']
  .map((end) => `strftime('%Y-%m-%dT%H:%M:%fZ', $__${end} / 1000, 'unixepoch')`)
  .join(' AND ')

const queries = {
  annotations: `SELECT CAST(strftime('%s', started_at) AS INTEGER) AS time,
  'Run ' || run || ' of ' || service || ': ' || group_concat(number || ' ' || change, ', ') AS text,
  'drift' AS tags
FROM (SELECT run, started_at, service, change, count(*) AS number FROM drift
  WHERE started_at BETWEEN ${inShownTime} GROUP BY run, service, change ORDER BY run, service, change)
GROUP BY run, service`,
  changes: `SELECT CAST(strftime('%s', started_at) AS INTEGER) AS time, run, service, change, kind, name, uid,
  (SELECT group_concat(value ->> '$.path', ' ') FROM json_each(fields)) AS fields
FROM drift WHERE started_at BETWEEN ${inShownTime} ORDER BY run DESC, service, kind, name LIMIT 500`,
  violations: `SELECT severity, state, rule, service, kind, name, message,
  CAST(strftime('%s', first_seen) AS INTEGER) AS time
FROM open_violation ORDER BY severity_rank, first_seen LIMIT 500`,
}

const targetOf = (refId: string, sql: string) => ({
  refId,
  datasource: history,
  queryType: 'table',
  queryText: sql,
  rawQueryText: sql,
  timeColumns: ['time'],
})

/** The dashboard of docs/monitoring with what only the history knows: which resources changed, and what is open. */
function dashboardWithHistory(): string {
  const dashboard = JSON.parse(textOf('dashboard.json'))
  const panels: readonly { readonly id: number; readonly gridPos: { readonly y: number; readonly h: number } }[] =
    dashboard.panels
  const id = Math.max(...panels.map((panel) => panel.id)) + 1
  const y = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h))
  const table = (place: number, title: string, description: string, sql: string) => ({
    id: id + place,
    type: 'table',
    title,
    description,
    datasource: history,
    gridPos: { h: 10, w: 24, x: 0, y: y + 10 * place },
    targets: [targetOf('A', sql)],
    fieldConfig: { defaults: {}, overrides: [] },
  })
  const drift = {
    name: 'Drift',
    datasource: history,
    enable: true,
    iconColor: 'orange',
    target: targetOf('Anno', queries.annotations),
  }
  const whole = {
    ...dashboard,
    annotations: { list: [...dashboard.annotations.list, drift] },
    panels: [
      ...panels,
      table(
        0,
        'What changed',
        'Resources that changed in the shown time, with the fields. Newest first.',
        queries.changes,
      ),
      table(
        1,
        'Open violations by resource',
        'What is open now, and not in the shown time. Worst first.',
        queries.violations,
      ),
    ],
  }
  return `${JSON.stringify(whole, null, 2)}\n`
}
