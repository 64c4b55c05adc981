import { Stop } from '../model/stop.ts'
import { failure, type HttpFailure } from './http-outcome.ts'

const text = 'stopped before the answer was whole'

/** A request that was not finished. The reason of a stop says why in its message; a bare `abort()` does not. */
export function stopped({ reason }: AbortSignal): HttpFailure {
  if (reason instanceof Stop && reason.code !== 'run_timeout')
    return failure(reason.code, `interrupted by ${reason.message}`)
  const what = reason instanceof Error && reason.name !== 'AbortError' ? `${text}: ${reason.message}` : text
  return failure(reason instanceof Stop ? reason.code : 'stopped', what)
}
