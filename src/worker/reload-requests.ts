/** Requests from outside, such as SIGHUP, to read the files now and not only before the next run. */
export class ReloadRequests {
  #isAsked = false
  #wake = () => {}

  ask(): void {
    this.#isAsked = true
    this.#wake()
  }

  /** Whether files are to be read and no reading of them has begun. */
  get isAsked(): boolean {
    return this.#isAsked
  }

  /** Called when the files begin to be read, which answers the requests up to now. Returns whether there were any. */
  take(): boolean {
    const wasAsked = this.#isAsked
    this.#isAsked = false
    return wasAsked
  }

  /** `wake` is called with every request; the last one given counts. */
  onAsk(wake: () => void): void {
    this.#wake = wake
  }
}
