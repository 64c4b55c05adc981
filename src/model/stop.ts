/** The reason with which a run's signal is aborted, where it is known. */
export class Stop extends Error {
  override readonly name = 'Stop'
  readonly code: 'sigint' | 'sigterm' | 'run_timeout'

  /** `message` says what stopped the run, such as `SIGTERM`. */
  constructor(code: Stop['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** The reason where nothing that is read is wanted: requests under way end at once. */
export class Dropped<Why extends string = string> extends Error {
  override readonly name = 'Dropped'
  readonly why: Why

  constructor(why: Why, message: string) {
    super(message)
    this.why = why
  }
}

/** A signal that aborts when another one does with `Dropped` as its reason. `release` ends the watch. */
export function whenDropped(signal: AbortSignal): { readonly signal: AbortSignal; release(): void } {
  const end = new AbortController()
  const onAbort = () => {
    if (signal.reason instanceof Dropped) end.abort(signal.reason)
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return { signal: end.signal, release: () => signal.removeEventListener('abort', onAbort) }
}
