import type { Configuration } from '../config/read-configuration.ts'
import { AuditError, messageOf } from '../model/errors.ts'
import type { Policy } from '../policy/policy.ts'
import type { Metrics } from '../worker/metrics.ts'
import { loadPolicy } from './load-policy.ts'
import type { Log } from './log.ts'
import { pathFrom } from './path-from.ts'
import { readTextFile } from './read-text-file.ts'
import type { Terminal } from './terminal.ts'

/** What the two files said when they were last read and right. */
export interface Orders {
  readonly configuration: Configuration
  readonly policy: Policy
}

/** Reads the files of a worker, with all that can be said against them. */
export interface OrderReader {
  /** @throws AuditError 2 */
  configuration(): Configuration
  /** @throws AuditError 2, or the signal's reason */
  policy(configuration: Configuration, signal: AbortSignal): Promise<Policy>
}

export async function openOrders(
  { config, history }: { readonly config: string; readonly history?: string },
  { env, cwd }: Terminal,
): Promise<OrderReader> {
  const { readConfiguration } = await import('../config/read-configuration.ts')
  const { timetableFaultsAt } = await import('../worker/timetable.ts')
  const overridden = history === undefined ? undefined : pathFrom(cwd(), history)
  return {
    configuration() {
      const findTimetableFault = timetableFaultsAt(Date.now())
      const configuration = readConfiguration(
        config,
        { env, readFile: readTextFile },
        { history: overridden, findTimetableFault },
      )
      if (configuration.schedules.length > 0) return configuration
      throw new AuditError(2, `${config} names no schedules`, {
        advice: 'docs/worker.md shows one; `hookdrift audit` needs none',
      })
    },
    policy: (configuration, signal) => loadPolicy(configuration.policy, { now: Date.now(), signal }),
  }
}

interface Reloading {
  readonly log: Log
  readonly metrics: Pick<Metrics, 'reloaded'>
  readonly signal: AbortSignal
}

/** What the files say now; where they are broken, or the worker is told to stop, what they said before. */
export async function readAgain(
  reader: OrderReader,
  before: Orders,
  { log, metrics, signal }: Reloading,
): Promise<Orders> {
  try {
    const configuration = reader.configuration()
    const orders = { configuration, policy: await reader.policy(configuration, signal) }
    metrics.reloaded(true)
    if (configuration.digest !== before.configuration.digest) log.info('the configuration has changed')
    if (orders.policy.digest !== before.policy.digest) log.info('the policy has changed')
    if (portOf(configuration) !== portOf(before.configuration)) {
      log.warn('worker.listen or worker.hosts has changed: that takes a restart')
    }
    return orders
  } catch (error) {
    if (signal.aborted) return before
    metrics.reloaded(false)
    log.warn({ error: messageOf(error) }, 'the files cannot be read as they are: what they said before stays in force')
    return before
  }
}

function portOf({ listen, hosts }: Configuration): string {
  return JSON.stringify([listen, hosts])
}
