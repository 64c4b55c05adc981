/** A request that a thread answers. Plain values: a request itself does not leave its thread. */
export interface ThreadRequest {
  readonly id: number
  readonly url: string
  readonly method: string
  readonly headers: [name: string, value: string][]
  /** Empty where there is none. */
  readonly body: ArrayBuffer
  readonly peer: string | undefined
}

export interface ThreadResponse {
  readonly id: number
  readonly status: number
  readonly headers: [name: string, value: string][]
  readonly body: ArrayBuffer
}
