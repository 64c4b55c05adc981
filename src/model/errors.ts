/** Exit codes, documented in docs/design.md. Interrupted beats broken beats misused beats busy beats incomplete beats violations. */
export const exitCodes = { clean: 0, violations: 1, usage: 2, incomplete: 3, failure: 4, busy: 5 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/**
 * Something about our own run that the user can act on. Anything else that is thrown is a bug.
 * The message says what was being done, to what, and what happened; `advice` what to do next.
 */
export class AuditError extends Error {
  override readonly name = 'AuditError'
  readonly exitCode: 2 | 4 | 5
  readonly advice: string | undefined

  constructor(exitCode: 2 | 4 | 5, message: string, options: { advice?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.exitCode = exitCode
    this.advice = options.advice
  }
}

/** The message of anything thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
