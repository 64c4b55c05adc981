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
