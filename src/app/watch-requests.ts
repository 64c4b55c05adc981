import type { RequestSent } from '../service/reply.ts'
import { neutralise } from '../text/neutralise.ts'
import type { Log } from './log.ts'
import type { ProcessContext } from './process-context.ts'

/** Logs each request, and says on stderr, once for each service, that the run waits for it. */
export function watchRequests(
  { stderr }: ProcessContext,
  log: Log,
  isQuiet: boolean,
): (service: string, request: RequestSent) => void {
  const awaited = new Set<string>()
  return (service, { method, url, status, fault, durationMs, nextTryMs }) => {
    log.debug({ service, method, url, status, fault, duration_ms: durationMs, next_try_ms: nextTryMs }, 'request')
    if (nextTryMs === null || isQuiet || awaited.has(service)) return
    awaited.add(service)
    const [address] = url.split('?', 1)
    // Removes the progress line.
    const start = stderr.isTTY === true ? '\r\x1b[K' : ''
    const text = neutralise(`${service}: ${fault} from ${address}; trying again`)
    stderr.write(`${start}hookdrift: ${text}\n`)
  }
}
