import { randomBytes } from 'node:crypto'
import type { HistoryOptions } from '../app/locate-history.ts'
import type { Log } from '../app/log.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { type HttpListener, listen } from '../app/serving/listen.ts'
import { hostCheck, type NamedAddress } from '../app/serving/refuse-request.ts'
import { type WorkerEndpoints, workerPort } from '../app/worker/port.ts'
import type { ServeSettings } from '../config/serve-schema.ts'
import { isOpenToAll } from '../config/serve-schema.ts'

interface PortContext extends WorkerEndpoints {
  readonly terminal: ProcessContext
  readonly log: Log
  /** Who may read the pages there; undefined: it has none. */
  readonly settings: ServeSettings | undefined
}

export interface WorkerPort extends HttpListener {
  /**
   * Shows the pages to these readers, and of the history that the configuration names now; to no reader where it names
   * none and others reach the address.
   */
  show(settings: ServeSettings | undefined): void
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
      pages?.show(settings === undefined || isOpenToAll(address, settings) ? withoutReaders() : settings)
    },
    close: async () => void (await Promise.all([close(), pages?.close()])),
  }
}

/** The only token is one that no reader learns. */
function withoutReaders(): ServeSettings {
  const token = randomBytes(32).toString('base64url')
  const tokens = [{ name: undefined, token, projects: undefined }]
  return { listen: undefined, hosts: undefined, tokens, trustedProxy: undefined }
}
