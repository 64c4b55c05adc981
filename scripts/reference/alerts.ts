import { readFileSync } from 'node:fs'
import { parse, stringify } from 'yaml'

const path = 'deploy/prometheus/alerts.yaml'
const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The data source of `deploy/grafana/provisioning/datasources`, by its `uid`. */
const prometheus = 'hookdrift-prometheus'

interface PrometheusRule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** The alert rules, where a chart can read them. */
export function chartAlerts(): string {
  return `# Written by \`npm run reference\`: change ${path}.\n${text}`
}

/** The alert rules as Grafana evaluates them itself. */
export function grafanaAlerts(): string {
  const { groups }: { groups: readonly { name: string; rules: readonly PrometheusRule[] }[] } = parse(text)
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
    `# Written by \`npm run reference\`: change ${path}.\n` +
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
