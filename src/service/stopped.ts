const text = 'stopped before the answer was whole'

/** Why a request was not finished. A stop says why it came by the message of its reason; a bare `abort()` says nothing. */
export function stoppedBy({ reason }: AbortSignal): string {
  return reason instanceof Error && reason.name !== 'AbortError' ? `${text}: ${reason.message}` : text
}

/** Whether it was a signal to the process that broke a walk off, by the reason that its coverage keeps. */
export function wasSignalled(reason: string | null): boolean {
  return reason !== null && /: SIG[A-Z]+$/.test(reason) && reason.includes(text)
}
