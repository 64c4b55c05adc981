/** Requests from outside, such as SIGHUP, to read the files now and not only before the next run. */
export class ReloadRequests {
  #isRequested = false
  #wake = () => {}

  ask(): void {
    this.#isRequested = true
    this.#wake()
  }

  /** Whether files are to be read and no reading of them has begun. */
  get isRequested(): boolean {
    return this.#isRequested
  }

  /** Called when the files begin to be read, which answers the requests up to now. Returns whether there were any. */
  take(): boolean {
    const wasRequested = this.#isRequested
    this.#isRequested = false
    return wasRequested
  }

  /** `wake` is called with every request; the last one given counts. */
  onAsk(wake: () => void): void {
    this.#wake = wake
  }
}
