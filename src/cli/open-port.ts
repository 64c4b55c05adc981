import type { HistoryOptions } from '../app/locate-history.ts'
import type { Log } from '../app/log.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { type HostPaths, hostCheck } from '../serving/host-check.ts'
import { type Listening, listen } from '../serving/listen.ts'
import { type WorkerEndpoints, workerPort } from '../worker/port.ts'

interface PortContext extends WorkerEndpoints {
  readonly terminal: ProcessContext
  readonly log: Log
  /** Whether the port shows the pages too. */
  readonly hasPages: boolean
}

/**
 * Opens the port of a worker.
 * @throws AuditError.failure when the address is not available
 */
export async function openPort(options: HistoryOptions, place: HostPaths, context: PortContext): Promise<Listening> {
  const { terminal, log, hasPages, ...endpoints } = context
  const { openWorkerPages } = hasPages ? await import('./worker-pages.ts') : {}
  const pages = openWorkerPages?.(options, place, { terminal, log })
  const answer = workerPort({ ...endpoints, isMeant: hostCheck(place), pages: pages?.answer })
  const advice = 'is another worker running? worker.listen in the configuration names the address'
  const { url, close } = await listen(place, answer, advice)
  return { url, close: async () => void (await Promise.all([close(), pages?.close()])) }
}
