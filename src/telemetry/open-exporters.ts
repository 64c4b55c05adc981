import type { Agent } from 'node:http'
import type { Attributes } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { convertLegacyHttpOptions } from '@opentelemetry/otlp-exporter-base/node-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { type MetricFamily, produceMetrics } from './produce-metrics.ts'
import type { Signal } from './signals.ts'
import { type RunTrace, traceRun } from './trace-run.ts'

export interface ExporterOptions {
  readonly version: string
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Between two exports of metrics. */
  readonly metricIntervalMs: number
  /** Called for each export that failed. `why` holds no text of the receiver. */
  readonly onFailure: (signal: Signal, why: string) => void
}

/** What sends traces and metrics by OTLP. Where and how is read from the environment by the SDK. */
export interface Exporters {
  readonly sendsMetrics: boolean
  traceRun(about: Attributes): RunTrace
  /** Sends all traces that have ended. */
  flush(): Promise<void>
  /** From now on, sends these metrics at every interval, and once more at the end. */
  sendMetrics(read: () => Promise<readonly MetricFamily[]>): void
  /** Sends what is left, and ends with it or when its time is over. */
  close(): Promise<void>
}

/** For one export with its tries. A run waits for it at its end. */
const exportTimeoutMs = 2_000
/** For all that is left at the end: a try that began in time may take as long again. */
const closeTimeoutMs = 4_000
/** A run ends all of its spans at once: more than the queue holds are lost. */
const mostSpans = 200_000

export function openExporters(wanted: readonly Signal[], options: ExporterOptions): Exporters {
  const { version, now, metricIntervalMs, onFailure } = options
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'hookdrift', 'service.version': version }))
    // Last, so that the environment decides.
    .merge(detectResources({ detectors: [envDetector] }))
  const agents: Agent[] = []
  const settingsOf = (signal: Signal) => {
    const configured = convertLegacyHttpOptions({}, signal.toUpperCase(), `v1/${signal}`, {})
    return {
      timeoutMillis: Math.min(configured.timeoutMillis, exportTimeoutMs),
      // Kept to end connections that a receiver holds.
      async httpAgentOptions(protocol: string) {
        const agent = await configured.agentFactory(protocol)
        agents.push(agent)
        return agent
      },
    }
  }
  const tracing = wanted.includes('traces') ? openTracing() : undefined
  let metering: MeterProvider | undefined

  function openTracing() {
    const exporter = watchExports(new OTLPTraceExporter(settingsOf('traces')), (why) => onFailure('traces', why))
    const processor = new BatchSpanProcessor(exporter, { maxQueueSize: mostSpans, exportTimeoutMillis: closeTimeoutMs })
    return new BasicTracerProvider({ resource, spanProcessors: [processor] })
  }

  return {
    sendsMetrics: wanted.includes('metrics'),
    traceRun: (about) =>
      tracing === undefined ? noTrace : traceRun(tracing.getTracer('hookdrift', version), now(), about),
    flush: async () => tracing?.forceFlush().catch(() => {}),
    sendMetrics(read) {
      if (!wanted.includes('metrics')) return
      const exporter = watchExports(new OTLPMetricExporter(settingsOf('metrics')), (why) => onFailure('metrics', why))
      const reader = new PeriodicExportingMetricReader({
        exporter,
        exportIntervalMillis: Math.max(metricIntervalMs, closeTimeoutMs),
        exportTimeoutMillis: closeTimeoutMs,
        metricProducers: [produceMetrics({ read, now, version })],
      })
      metering = new MeterProvider({ resource, readers: [reader] })
    },
    async close() {
      // `onFailure` has said what failed.
      const sent = Promise.allSettled([tracing?.shutdown(), metering?.shutdown()])
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, closeTimeoutMs)
      await Promise.race([sent, late])
      clearTimeout(timer)
      for (const agent of agents) agent.destroy()
    },
  }
}

const noTrace: RunTrace = { timed() {}, ended() {}, failed() {} }

interface ExportResult {
  readonly code: number
  readonly error?: Error
}

/** Makes failures of an exporter known: the SDK itself says them nowhere. */
function watchExports<Item, Exporter extends { export(items: Item, done: (result: ExportResult) => void): void }>(
  exporter: Exporter,
  onFailure: (why: string) => void,
): Exporter {
  const send = exporter.export.bind(exporter)
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.code !== 0) onFailure(describe(result.error))
      done(result)
    })
  return exporter
}

/** By its code alone: its message may quote what a receiver answered. */
function describe(error: Error | undefined): string {
  const code = error !== undefined && 'code' in error ? error.code : undefined
  if (typeof code === 'number') return `it answered with status ${code}`
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? code : 'it did not take them in time'
}
