import { Stop } from '../../model/stop.ts'
import { withoutCredentials } from './foreign-text.ts'
import type { IdentifyItem, ItemIdentity } from './service-client.ts'
import { type FaultKind, isStop, ServiceFault } from './service-fault.ts'

export interface ServiceRequest {
  readonly method: 'GET' | 'POST'
  /** Below the dialect's path prefix, segments encoded. */
  readonly path: string
  readonly query: URLSearchParams
  /** JSON text; null for none. */
  readonly body: string | null
  /** The statuses that mean success. */
  readonly success: readonly number[]
  /** The most items that a page may have; undefined if the answer is not a page. */
  readonly mostItems?: number
  /** Decides which items of a page are known by their bytes; without it, none is. */
  readonly identify?: IdentifyItem | undefined
  /** For the whole answer of one try, where the limit of a page is too long. */
  readonly limitMs?: number
  /** For a request that is sent before its answer is wanted. */
  readonly ahead?: Ahead | undefined
}

/** What a request that is sent ahead of its turn waits for. */
export interface Ahead {
  /** Resolves when the answer is wanted. Until then nothing is parsed or tried again, and no time limit runs. */
  readonly turn: Promise<void>
  /** Aborts when the answer is no longer wanted. */
  readonly abandoned: AbortSignal
}

/** The address for messages (`displayUrl`). */
interface Address {
  readonly url: string
}

export type FailedReply = HttpFailure & Address & { readonly tries: number; readonly isBudgetSpent: boolean }

export type Reply = (HttpSuccess & Address) | FailedReply

/** A request that was sent, for the log. */
export interface RequestSent {
  readonly method: string
  /** With its query, without credentials. */
  readonly url: string
  /** null without an answer. */
  readonly status: number | null
  /** What went wrong; null for a success. */
  readonly fault: string | null
  readonly durationMs: number
  /** Milliseconds until the next try; null when this was the last. */
  readonly nextTryMs: number | null
}

/** The outcome of one request. */
export type HttpOutcome = HttpSuccess | HttpFailure

/** A success with well-formed JSON. Whether it keeps the contract is checked later. */
interface HttpSuccess {
  readonly ok: true
  readonly value: unknown
  /** Items of a large page as they were written; `value` then has an empty list in their place. */
  readonly items?: readonly Buffer[]
  /** Of all items of a page, in their order; `value` then has only those that are not known. */
  readonly identities?: readonly ItemIdentity[]
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
  /** The message of the service's envelope, or of what answered in front of it; fit for a message of ours. */
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

const notWhole = 'stopped before the answer was whole'

/** A request that was not finished. The reason of a stop says why in its message; a bare `abort()` does not. */
export function stopped({ reason }: AbortSignal): HttpFailure {
  if (reason instanceof Stop && reason.code !== 'run_timeout')
    return failure(reason.code, `interrupted by ${reason.message}`)
  const what = reason instanceof Error && reason.name !== 'AbortError' ? `${notWhole}: ${reason.message}` : notWhole
  return failure(reason instanceof Stop ? reason.code : 'stopped', what)
}

/** `502 bad gateway after 5 tries; the service says "…"`: one line. */
export function describeFailure(reply: Reply & { ok: false }): string {
  const tries = reply.tries > 1 ? ` after ${reply.tries} tries` : ''
  const budget = reply.isBudgetSpent ? ', no time left for further tries' : ''
  const hint = reply.hint === null ? '' : `: ${reply.hint}`
  const speaker = reply.kind === 'in_front' ? 'it' : 'the service'
  const said = reply.serviceMessage === null ? '' : `; ${speaker} says "${withoutCredentials(reply.serviceMessage)}"`
  return `${reply.what}${tries}${budget}${hint}${said}`
}

/** The fault of a request without a usable answer; `subject` names what was requested, e.g. `page 3`. */
export function faultOf(reply: Reply & { ok: false }, subject: string): ServiceFault {
  const { kind, url, requestId } = reply
  // Of a request that the run ended, the address explains nothing.
  return new ServiceFault(
    kind,
    `${subject}: ${describeFailure(reply)}`,
    isStop(kind) ? { requestId } : { url, requestId },
  )
}

export function withRequestId(text: string, requestId: string | null): string {
  return requestId === null ? text : `${text} (request id ${requestId})`
}
