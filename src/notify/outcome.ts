import type { Message } from './message.ts'

/** What one attempt came to. Errors are in our own words: what a receiver says, and where it is, may be secrets. */
export type Outcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: string /** It wants no more, ever. */; readonly isGone?: true }

/** Hands a message over. Rejects with bugs only. */
export type SendMessage = (message: Message, signal: AbortSignal) => Promise<Outcome>

export const accepted: Outcome = { ok: true }

export function refused(error: string): Outcome {
  return { ok: false, error }
}
