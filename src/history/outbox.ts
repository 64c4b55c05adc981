/**
 * Messages that wait for delivery, stored with the runs that they are about. Messages of one channel are delivered in
 * the order of writing.
 */
export interface Outbox extends ChannelClaims {
  /** Writes messages outside the commit of a run. */
  enqueue(messages: readonly NewMessage[], at: string): Promise<void>
  delivered(id: string, at: string): Promise<void>
  /** Records a failed attempt, and when to try again. */
  failed(id: string, failure: FailedAttempt): Promise<void>
  /** Gives up messages of a channel that were written before a time (ISO 8601, UTC); returns how many. */
  giveUp(channel: string, before: string, at: string): Promise<number>
  /** Records that the receiver accepts no messages, or (`undefined`) that it does again. `target` shows no secret. */
  markGone(channel: string, gone: LostMessages | undefined): Promise<void>
  /** Records what a tracker calls a ticket, in place of what was known of its key. */
  rememberTicket(channel: string, ticket: StoredTicket): Promise<void>
  /** Deletes messages that were delivered or given up before a time. */
  dropFinished(before: string): Promise<void>
}

/** Which process delivers on a channel. */
export interface ChannelClaims {
  /** Claims a channel for this process and returns a token; undefined while another process delivers on it. */
  claim(channel: string): Promise<number | undefined>
  /** Renews the claim; false when another process has taken the channel. */
  renew(channel: string, token: number): Promise<boolean>
  release(channel: string, token: number): Promise<void>
}

export interface NewMessage {
  readonly id: string
  readonly channel: string
  readonly run: number | null
  /** JSON. */
  readonly body: string
  /** What incidents of its channel are about from now on: the one that it is about, and those that lose subjects to it. */
  readonly incidents?: readonly IncidentSubjects[]
}

export interface IncidentSubjects {
  readonly key: string
  /** Fingerprints of violations, or what else the composer names. Empty: it has ended. */
  readonly subjects: readonly string[]
}

/** What is known of the ticket of an incident: a channel opened it, or asked for it. */
export interface StoredTicket {
  /** Of its incident. */
  readonly key: string
  /** Where the tracker is, sealed. */
  readonly target: string
  /** What the tracker calls it; null: the tracker was asked to create it and has not answered. */
  readonly reference: string | null
  /** As the tracker last said, in its form; without a reference, when it was asked. */
  readonly changedAt: string
}

/** An incident that a channel has opened and not closed. */
export interface OpenIncident {
  readonly channel: string
  readonly key: string
  readonly subjects: readonly IncidentSubject[]
}

export interface IncidentSubject {
  readonly subject: string
  /** Of an active violation; null for all else. */
  readonly state: 'open' | 'unknown' | 'waived' | null
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
  /** The newest message; null where it was forgotten. */
  readonly lastMessage: LastMessage | null
  readonly gone: LostMessages | null
}

export interface LastMessage {
  readonly createdAt: string
  readonly state: 'pending' | 'delivered' | 'dead'
  /** When it was delivered or given up. */
  readonly endedAt: string | null
}

export interface LostMessages {
  readonly at: string
  readonly target: string
}

export interface FailedAttempt {
  readonly at: string
  readonly error: string
  /** undefined: the message is given up. */
  readonly nextTryAt: string | undefined
}
