import type { FaultKind } from './service-fault.ts'

/** The outcome of one request. */
export type HttpOutcome = HttpSuccess | HttpFailure

/** A success with well-formed JSON. Whether it keeps the contract is checked later. */
export interface HttpSuccess {
  readonly ok: true
  readonly value: unknown
  /** Items of a large page as they were written; `value` then has an empty list in their place. */
  readonly items?: readonly Buffer[]
  readonly requestId: string | null
  readonly status: number
}

export interface HttpFailure {
  readonly ok: false
  readonly kind: FaultKind
  /** What happened, for a message: one line, no key. */
  readonly what: string
  /** What the cause may be, or what to do. */
  readonly hint: string | null
  readonly requestId: string | null
  /** null without an answer. */
  readonly status: number | null
  /** The message of the service's envelope, fit for a message of ours. */
  readonly serviceMessage: string | null
  /** `never`: final. `key`: a refused key, with a few tries of its own. `lasting`: final where patience is short. */
  readonly again: 'never' | 'later' | 'lasting' | 'key'
  /** Why the certificate is not accepted; null for other failures. */
  readonly certificateCode: string | null
  /** Whether a port that speaks TLS answers plain http in this way, among other causes. */
  readonly isWrongScheme: boolean
  /** Whether the service certainly did not act on the request, so that even a POST may be sent again. */
  readonly surelyNotRun: boolean
  /** The Retry-After header as received. */
  readonly retryAfter: string | undefined
}

/** A failure with the defaults: no answer, final, may have run. */
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
    certificateCode: null,
    isWrongScheme: false,
    surelyNotRun: false,
    retryAfter: undefined,
    ...details,
  }
}
