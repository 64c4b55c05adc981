import type { Message } from './message.ts'

/** The outcome of one attempt. Errors are in our own words: the receiver's answer and address may be secrets. */
export type Outcome =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly error: string /** The receiver wants no further messages. */
      readonly isGone?: true
    }

/** Sends a message. Rejects only because of bugs. */
export type SendMessage = (message: Message, signal: AbortSignal) => Promise<Outcome>

export const accepted: Outcome = { ok: true }

export function refused(error: string): Outcome {
  return { ok: false, error }
}
