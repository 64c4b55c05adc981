import { Stop } from '../model/stop.ts'
import { failure, type HttpFailure } from './http-outcome.ts'

const text = 'stopped before the answer was whole'

/** A request that was not finished. A stop says why by the message of its reason; a bare `abort()` says nothing. */
export function stopped({ reason }: AbortSignal): HttpFailure {
  const what = reason instanceof Error && reason.name !== 'AbortError' ? `${text}: ${reason.message}` : text
  return failure(reason instanceof Stop ? reason.code : 'stopped', what)
}
