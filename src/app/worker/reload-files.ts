import type { Configuration } from '../../config/configuration.ts'
import { messageOf } from '../../model/errors.ts'
import type { Policy } from '../../policy/policy.ts'
import { agreeWithinMs, type Refusal, refusalWords } from '../pool/workers.ts'
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
    const read = reader.configuration()
    const configuration = withOpenHistory(read, before.configuration)
    const files = { configuration, policy: await reader.policy(configuration, signal) }
    metrics.reloaded(true)
    if (configuration.digest !== before.configuration.digest) log.info('the configuration has changed')
    if (files.policy.digest !== before.policy.digest) log.info('the policy has changed')
    const waiting = [...changedBetween(before.configuration, read), ...(configuration === read ? [] : ['history'])]
    if (waiting.length > 0) log.warn(`${waiting.join(', ')}: restart the worker to apply what has changed`)
    return files
  } catch (error) {
    if (signal.aborted) return before
    metrics.reloaded(false)
    log.warn({ error: messageOf(error) }, 'configuration reload failed; keeping the previous configuration')
    return before
  }
}

/**
 * Workers that share runs have the history open from their start: what another one holds must not be mixed with it. Of
 * the same one, the login may be new.
 */
function withOpenHistory(read: Configuration, { history, shared }: Configuration): Configuration {
  return shared === undefined || read.history.displayName === history.displayName ? read : { ...read, history }
}

/** Which members have changed that a worker takes at its start alone. */
function changedBetween(before: Configuration, after: Configuration): readonly string[] {
  const [old, current] = [takenAtStart(before), takenAtStart(after)]
  return Object.keys(current).filter((name) => old[name] !== current[name])
}

function takenAtStart({ listen, hosts, pages, shared }: Configuration): Readonly<Record<string, string | undefined>> {
  const { slots, services } = shared ?? {}
  const members = { listen, hosts, pages, shared: shared !== undefined, slots, services }
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [`worker.${name}`, JSON.stringify(value)] as const),
  )
}

/** Whether a worker that shares runs has what they begin with. */
export interface Agreement {
  /** Called when it was refused for a run, or took part in one. */
  refused(reason: Refusal): void
  agreed(): void
  /** Why the worker is not ready, in words; empty if it is ready. Reads files again that were refused. */
  troubles(): Promise<readonly string[]>
}

/**
 * Finds out that a worker was refused for longer than a change of files takes. It says so until the worker takes part in
 * a run, or has other files.
 */
export function watchAgreement({
  now,
  readFiles,
  files,
}: {
  readonly now: () => number
  /** Identifies the files in force, which were read a moment ago. */
  readonly readFiles: () => Promise<string>
  /** Identifies the files in force. */
  readonly files: () => string
}): Agreement {
  let refusal: { readonly since: number; readonly reason: Refusal; readonly files: string } | undefined
  return {
    refused(reason) {
      const lastRefusal = refusal?.files === files() ? refusal : { since: now(), files: files() }
      refusal = { ...lastRefusal, reason }
    },
    agreed() {
      refusal = undefined
    },
    async troubles() {
      if (refusal === undefined || now() - refusal.since < agreeWithinMs) return []
      if ((await readFiles()) !== refusal.files) refusal = undefined
      return refusal === undefined
        ? []
        : [`this worker is left out of runs, which began with another ${refusalWords[refusal.reason]}`]
    },
  }
}
