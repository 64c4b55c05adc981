import type { Configuration } from '../config/configuration.ts'
import { messageOf } from '../model/errors.ts'
import type { Policy } from '../policy/policy.ts'
import type { Metrics } from './metrics.ts'

/** What the two files held when they were last read without a mistake. */
export interface WorkerFiles {
  readonly configuration: Configuration
  readonly policy: Policy
}

/** Reads the files of a worker and finds every mistake in them. */
export interface WorkerFilesReader {
  /** @throws AuditError.usage */
  configuration(): Configuration
  /** @throws AuditError.usage, or the signal's reason */
  policy(configuration: Configuration, signal: AbortSignal): Promise<Policy>
}

/** Reads the files again. Where they have mistakes, or the worker stops meanwhile, what was read before stays in force. */
export async function readAgain(
  reader: WorkerFilesReader,
  before: WorkerFiles,
  {
    log,
    metrics,
    signal,
  }: {
    readonly log: {
      info(text: string): void
      warn(text: string): void
      warn(fields: Readonly<Record<string, unknown>>, text: string): void
    }
    readonly metrics: Pick<Metrics, 'reloaded'>
    readonly signal: AbortSignal
  },
): Promise<WorkerFiles> {
  try {
    const configuration = reader.configuration()
    const files = { configuration, policy: await reader.policy(configuration, signal) }
    metrics.reloaded(true)
    if (configuration.digest !== before.configuration.digest) log.info('the configuration has changed')
    if (files.policy.digest !== before.policy.digest) log.info('the policy has changed')
    if (portOf(configuration) !== portOf(before.configuration)) {
      log.warn('worker.listen, worker.hosts or worker.pages has changed: restart the worker to apply it')
    }
    return files
  } catch (error) {
    if (signal.aborted) return before
    metrics.reloaded(false)
    log.warn({ error: messageOf(error) }, 'configuration reload failed; keeping the previous configuration')
    return before
  }
}

function portOf({ listen, hosts, pages }: Configuration): string {
  return JSON.stringify([listen, hosts, pages])
}
