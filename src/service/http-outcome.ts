import type { FaultKind } from './service-fault.ts'

/** What one request came to. */
export type HttpOutcome = HttpSuccess | HttpFailure

/** A success with JSON that was read rightly; whether it keeps the contract is not judged yet. */
export interface HttpSuccess {
  readonly ok: true
  readonly value: unknown
  /** Items of a large page, as they were written: `value` has an empty list in their place. */
  readonly items?: readonly Buffer[]
  readonly requestId: string | null
}

export interface HttpFailure {
  readonly ok: false
  readonly kind: FaultKind
  /** What happened, for a message: one line, no key. */
  readonly what: string
  /** What it may mean, or what to do. */
  readonly hint: string | null
  readonly requestId: string | null
  /** null when there was no answer. */
  readonly status: number | null
  /** What the service's envelope says, fit for a message. */
  readonly serviceMessage: string | null
  /** `never`: it stands. `key`: a refused key, tried again a few times of its own. */
  readonly again: 'never' | 'later' | 'key'
  /** Whether the service surely did nothing with the request, so that even a POST may be sent again. */
  readonly surelyNotRun: boolean
  /** The Retry-After header as it came. */
  readonly retryAfter: string | undefined
}

/** A failure with all that is usual: no answer, it stands, it may have run. */
export function failure(kind: FaultKind, what: string, details: Partial<HttpFailure> = {}): HttpFailure {
  return {
    ok: false,
    kind,
    what,
    hint: null,
    requestId: null,
    status: null,
    serviceMessage: null,
    again: 'never',
    surelyNotRun: false,
    retryAfter: undefined,
    ...details,
  }
}
