import { historySize, openHistory } from '../app/open-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { type Metrics, openMetrics } from '../app/worker/metrics.ts'
import { readPast } from '../app/worker/read-past.ts'
import { writeFileAtomically } from '../app/write-file-atomically.ts'
import { configuredIn } from '../config/choose-projects.ts'
import type { Configuration } from '../config/configuration.ts'
import { toolVersion } from '../model/package-files.ts'

/** Metrics of the worker that say something of one run. */
const ofRun = [
  ...['info', 'last_success_timestamp_seconds', 'last_complete_walk_timestamp_seconds', 'walks', 'open_violations'],
  ...[
    'unknown_violations',
    'project_open_violations',
    'oldest_open_violation_timestamp_seconds',
    'overdue_violations',
    'drift',
  ],
  ...['last_run_timestamp_seconds', 'last_run_exit_code', 'history_bytes'],
] as const

/** Reads what the history knows after a run, as the worker shows it. */
export async function readRunMetrics(
  { services, history: location }: Configuration,
  terminal: ProcessContext,
): Promise<Metrics> {
  const history = await openHistory(location, terminal.env)
  const past = await readPast(history, configuredIn(services)).finally(() => history.close())
  const metrics = openMetrics({ version: toolVersion(), historyBytes: () => historySize(location) })
  metrics.remember(past)
  return metrics
}

/**
 * Writes the metrics of one run in the text form of Prometheus, for the textfile collector of its node exporter. The
 * file is complete or as before.
 */
export async function writeMetrics(file: string, { registry }: Metrics): Promise<void> {
  const texts = await Promise.all(ofRun.map((name) => registry.getSingleMetricAsString(`hookdrift_${name}`)))
  // The collector is another user.
  writeFileAtomically(file, `${texts.join('\n\n')}\n`, { what: 'the metrics', mode: 0o644 })
}
