import type { OnTimed } from '../audit/project-scan.ts'
import { AuditError } from '../model/errors.ts'
import { toolVersion } from '../model/package-files.ts'
import type { Report } from '../model/report.ts'
import type { Exporters } from '../telemetry/open-exporters.ts'
import { faultOfSettings, wantedSignals } from '../telemetry/signals.ts'
import { neutralise } from '../text/neutralise.ts'
import type { ProcessContext } from './process-context.ts'
import { systemClock } from './system.ts'

/** Sends traces and metrics of runs by OTLP. Nothing of it ever rejects or changes a result. */
export type Telemetry = Exporters

/**
 * Opens what the `OTEL_*` variables ask for; undefined, and nothing is loaded, where they ask for nothing. A failure is
 * written to stderr, once for each signal.
 */
export async function openTelemetry({ env, stderr }: ProcessContext): Promise<Telemetry | undefined> {
  const reported = new Set<string>()
  const warn = (signal: string, why: string) => {
    if (reported.has(signal)) return
    reported.add(signal)
    stderr.write(`hookdrift: warning: ${neutralise(`OpenTelemetry: ${signal} are not sent: ${why}`)}\n`)
  }
  const wanted = wantedSignals(env).filter((signal) => {
    const fault = faultOfSettings(signal, env)
    if (fault !== undefined) warn(signal, fault)
    return fault === undefined
  })
  if (wanted.length === 0) return undefined
  const { openExporters } = await import('../telemetry/open-exporters.ts')
  return openExporters(wanted, {
    version: toolVersion(),
    now: systemClock.now,
    metricIntervalMs: intervalOf(env.OTEL_METRIC_EXPORT_INTERVAL),
    onFailure: warn,
  })
}

/** Does a run as one trace. `about`: what asked for it. */
export async function traced(
  telemetry: Telemetry | undefined,
  about: Readonly<Record<string, string>>,
  work: (onTimed: OnTimed | undefined) => Promise<Report>,
): Promise<Report> {
  if (telemetry === undefined) return work(undefined)
  const trace = telemetry.traceRun(about)
  try {
    const report = await work(({ ref }, timing) => trace.timed(ref, timing))
    trace.ended(report, systemClock.now())
    return report
  } catch (error) {
    trace.failed(error instanceof AuditError ? error.kind : 'bug', systemClock.now())
    throw error
  }
}

const defaultIntervalMs = 60_000

function intervalOf(text: string | undefined): number {
  const ms = Number(text)
  return Number.isInteger(ms) && ms > 0 && ms < 2 ** 31 ? ms : defaultIntervalMs
}
