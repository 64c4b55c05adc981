import type { HttpFailure, HttpSuccess } from './http-outcome.ts'

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

/** The address for messages (`shownUrl`). */
interface Asked {
  readonly url: string
}

export type FailedReply = HttpFailure & Asked & { readonly tries: number; readonly isBudgetSpent: boolean }

export type Reply = (HttpSuccess & Asked) | FailedReply

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
