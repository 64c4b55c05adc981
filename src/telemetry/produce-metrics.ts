import { type HrTime, ValueType } from '@opentelemetry/api'
import { emptyResource } from '@opentelemetry/resources'
import { AggregationTemporality, DataPointType, type MetricData, type MetricProducer } from '@opentelemetry/sdk-metrics'

/** A metric with its values, as the registry of the worker's metrics gives them. */
export interface MetricFamily {
  readonly name: string
  readonly help: string
  /** `gauge`, `counter` or `histogram`; others are left out. The registry's own types say that it is a number. */
  readonly type: unknown
  readonly values: readonly {
    readonly value: number
    readonly labels: Readonly<Record<string, string | number | undefined>>
    /** Of a histogram: with `_bucket`, `_sum` or `_count` at its end. */
    readonly metricName?: string
  }[]
}

interface MetricSource {
  readonly read: () => Promise<readonly MetricFamily[]>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly version: string
}

/** Produces what `/metrics` shows, under the same names: one definition of each metric serves both. */
export function produceMetrics({ read, now, version }: MetricSource): MetricProducer {
  const startTime = hrTimeOf(now())
  return {
    async collect() {
      const times = { startTime, endTime: hrTimeOf(now()) }
      const metrics = (await read()).flatMap((family) => toData(family, times) ?? [])
      const scope = { name: 'hookdrift', version }
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics: [{ scope, metrics }] }, errors: [] }
    },
  }
}

interface Times {
  readonly startTime: HrTime
  readonly endTime: HrTime
}

function toData({ name, help, type, values }: MetricFamily, times: Times): MetricData | undefined {
  // An empty metric says nothing, and some receivers refuse it.
  if (values.length === 0) return undefined
  const base = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  const points = () => values.map(({ value, labels }) => ({ ...times, attributes: { ...labels }, value }))
  switch (type) {
    case 'gauge':
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: points() }
    case 'counter':
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() }
    case 'histogram':
      return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(values, times) }
    default:
      return undefined
  }
}

/** Prometheus counts what is at most each bound; OTLP counts what lies between two. */
function histograms(values: MetricFamily['values'], times: Times) {
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels))
  return [...series.values()].map((group) => {
    const { le: _, ...attributes } = group[0]?.labels ?? {}
    const buckets = group.flatMap(({ labels: { le }, value }) => (le === undefined ? [] : [{ le: Number(le), value }]))
    const last = (suffix: string) => group.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0
    const boundaries = buckets.map(({ le }) => le).filter(Number.isFinite)
    const cumulative = [...buckets.filter(({ le }) => Number.isFinite(le)).map(({ value }) => value), last('_count')]
    const counts = cumulative.map((count, at) => count - (cumulative[at - 1] ?? 0))
    const value = { buckets: { boundaries, counts }, sum: last('_sum'), count: last('_count') }
    return { ...times, attributes, value }
  })
}

function hrTimeOf(ms: number): HrTime {
  return [Math.trunc(ms / 1000), Math.round((ms % 1000) * 1e6)]
}
