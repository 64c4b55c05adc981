const text = 'stopped before the answer was whole'

/** Why a request was not finished. The reason of a stop says why in its message; a bare `abort()` does not. */
export function stoppedBy({ reason }: AbortSignal): string {
  return reason instanceof Error && reason.name !== 'AbortError' ? `${text}: ${reason.message}` : text
}

/** Whether a signal to the process ended a walk, by the reason in its coverage. */
export function wasSignalled(reason: string | null): boolean {
  return reason !== null && /: SIG[A-Z]+$/.test(reason) && reason.includes(text)
}
