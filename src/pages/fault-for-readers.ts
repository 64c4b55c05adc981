import { AuditError } from '../model/errors.ts'
import { NotAllowed, NotFound } from './page.ts'

/** What a reader of the API gets to know of an error. */
export interface ReaderFault {
  readonly status: 400 | 403 | 404 | 500 | 503
  readonly message: string
  readonly advice?: string | undefined
}

/** Hides what may name files and hosts that readers need not know; `onFault` gets it, for the log. */
export function faultForReaders(error: unknown, onFault: (error: unknown) => void): ReaderFault {
  if (error instanceof NotFound) return { status: 404, message: error.message }
  if (error instanceof NotAllowed) return { status: 403, message: error.message }
  if (error instanceof AuditError && error.kind === 'usage') {
    return { status: 400, message: error.message, advice: error.advice }
  }
  onFault(error)
  if (error instanceof AuditError) {
    const message = 'the history, the configuration or the policy cannot be used'
    return { status: 503, message, advice: 'the log of hookdrift says why' }
  }
  return { status: 500, message: 'a bug in hookdrift', advice: 'the log of hookdrift has the details' }
}
