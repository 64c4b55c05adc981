import type { HistoryOptions } from '../app/locate-history.ts'
import type { Log } from '../app/log.ts'
import type { ProcessContext } from '../app/process-context.ts'
import type { ServeSettings } from '../config/configuration.ts'
import { isOpenToAll } from '../config/read-serve.ts'
import { hostCheck, type NamedAddress } from '../serving/host-check.ts'
import { type HttpListener, listen } from '../serving/listen.ts'
import { type WorkerEndpoints, workerPort } from '../worker/port.ts'

interface PortContext extends WorkerEndpoints {
  readonly terminal: ProcessContext
  readonly log: Log
  /** Who may read the pages there; undefined: it has none. */
  readonly settings: ServeSettings | undefined
}

export interface WorkerPort extends HttpListener {
  /** Shows the pages to these readers, and of the history that the configuration names now. */
  show(settings: ServeSettings): void
}

/**
 * Opens the port of a worker.
 * @throws AuditError.failure when the address is not available
 */
export async function openPort(
  options: HistoryOptions,
  address: NamedAddress,
  context: PortContext,
): Promise<WorkerPort> {
  const { terminal, log, settings, ...endpoints } = context
  const pages =
    settings &&
    (await import('./open-pages-thread.ts')).openPagesThread(options, { terminal, log, address, settings }, 'worker')
  const answer = workerPort({ ...endpoints, isHostOfPort: hostCheck(address), pages: pages?.answer })
  const advice = 'is another worker running? worker.listen in the configuration names the address'
  const { url, close } = await listen(address, answer, advice)
  return {
    url,
    show(settings) {
      // The configuration may name another address, for which it needs no guard.
      if (!isOpenToAll(address, settings)) pages?.show(settings)
    },
    close: async () => void (await Promise.all([close(), pages?.close()])),
  }
}
