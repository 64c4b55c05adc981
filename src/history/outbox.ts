/**
 * Messages that wait for their delivery, in the same place as the runs that they tell of. Those of one channel are
 * delivered in the order in which they were written.
 */
export interface Outbox {
  /** Writes messages that belong to no seal. */
  enqueue(messages: readonly NewMessage[], at: string): Promise<void>
  /** Every channel that ever had a message, by name. */
  channels(): Promise<readonly ChannelState[]>
  /** Messages that were not delivered, waiting and given up, by channel and number. */
  undelivered(): Promise<readonly WaitingMessage[]>
  /** The first message of a channel that waits. */
  firstWaiting(channel: string): Promise<(WaitingMessage & { readonly body: string }) | undefined>

  /** Takes a channel for this process; undefined while another delivers on it. Returns a token. */
  claim(channel: string): Promise<number | undefined>
  /** Says that the process still delivers; false when another has taken the channel. */
  renew(channel: string, token: number): Promise<boolean>
  release(channel: string, token: number): Promise<void>

  delivered(id: string, at: string): Promise<void>
  /** An attempt failed; it is tried again, or given up. */
  failed(id: string, failure: FailedAttempt): Promise<void>
  /** Gives up messages of a channel that were written before a time (ISO 8601, UTC); returns how many. */
  giveUp(channel: string, before: string, at: string): Promise<number>
  /** The receiver wants no more. `target` says which, in a form that shows no secret; undefined: it is there again. */
  markGone(channel: string, gone: LostMessages | undefined): Promise<void>
  /** Forgets messages that were settled before a time. */
  dropSettled(before: string): Promise<void>
}

export interface NewMessage {
  readonly id: string
  readonly channel: string
  readonly run: number | null
  /** JSON. */
  readonly body: string
}

export interface WaitingMessage {
  readonly id: string
  readonly channel: string
  /** From 1, by channel. */
  readonly number: number
  readonly run: number | null
  /** ISO 8601, UTC, as all times here. */
  readonly createdAt: string
  readonly state: 'pending' | 'dead'
  readonly attempts: number
  readonly nextTryAt: string
  /** Of the last attempt. */
  readonly error: string | null
}

export interface ChannelState {
  readonly name: string
  readonly pending: number
  readonly dead: number
  readonly lastDeliveredAt: string | null
  readonly gone: LostMessages | null
}

export interface LostMessages {
  readonly at: string
  readonly target: string
}

export interface FailedAttempt {
  readonly at: string
  readonly error: string
  /** undefined: it is given up. */
  readonly nextTryAt: string | undefined
}
