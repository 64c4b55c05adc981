import type { OpenHistory } from '../history/history.ts'
import { heartbeatMs } from '../history/lease-owner.ts'
import type { ChannelState } from '../history/outbox.ts'
import { findFirstWaiting, listChannels } from '../history/sql/outbox.ts'
import { dayMs, isoTime } from '../model/time.ts'
import { type Message, readMessage, type SendMessage } from './message.ts'
import { shorten } from './show-message.ts'

export interface Receiver {
  readonly name: string
  readonly send: SendMessage
  /** The receiver's address, sealed. */
  readonly target: string
  /** Whether one message may take as long as all: it takes several requests. */
  readonly isSlow?: boolean
}

export interface Delivery {
  readonly receivers: readonly Receiver[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** For one attempt, and for all attempts on one channel together. */
  readonly timeoutMs: number
  readonly totalMs: number
  /** Returns a signal that aborts after so many milliseconds. */
  readonly timeoutAfter: (ms: number) => AbortSignal
  /** Calls repeatedly until the returned function is called. */
  readonly every: (ms: number, call: () => unknown) => () => void
  readonly signal: AbortSignal
  /** Whether to wait until a failed message is due again. */
  readonly isPatient: boolean
  readonly watch: DeliveryObserver
}

export interface DeliveryObserver {
  /** `refusal`: why the receiver took only its short form. */
  delivered(channel: string, id: string, refusal?: string): void
  failed(channel: string, id: string, error: string): void
  gone(channel: string): void
  /** The message is not tried again. */
  gaveUp(channel: string, id: string, error: string): void
}

/** Delivered and given-up messages are deleted after this time. */
const rememberedMs = 30 * dayMs
const firstWaitMs = 10_000
const longestWaitMs = 30 * 60_000

/**
 * Delivers pending messages, on each channel independently and in order: the messages after a failed one wait. A
 * message that fails for a day is given up, and one that the receiver takes in no form at once. Never rejects because of
 * a receiver.
 */
export async function deliver(outbox: OpenHistory, delivery: Delivery): Promise<void> {
  const { receivers, now } = delivery
  const states = new Map((await listChannels(outbox)).map((state) => [state.name, state]))
  const receiverOf = new Map(receivers.map((receiver) => [receiver.name, receiver]))
  const at = isoTime(now())
  for (const state of states.values()) {
    // These are never tried.
    if (state.pending === 0 || isOpen(state, receiverOf.get(state.name))) continue
    await outbox.giveUp(state.name, isoTime(now() - dayMs), at)
  }
  const open = receivers.filter((receiver) => {
    const state = states.get(receiver.name)
    return state !== undefined && state.pending > 0 && isOpen(state, receiver)
  })
  const isGone = ({ name }: Receiver) => states.get(name)?.gone != null
  await Promise.all(open.map((receiver) => deliverChannel(outbox, receiver, delivery, isGone(receiver))))
  await outbox.dropFinished(isoTime(now() - rememberedMs))
}

/** A receiver that answered 410 is tried again only if its address changed. */
export function isOpen({ gone }: Pick<ChannelState, 'gone'>, receiver: Pick<Receiver, 'target'> | undefined): boolean {
  return receiver !== undefined && (gone === null || gone.target !== receiver.target)
}

/** The wait before attempt `n + 1` of a message, in milliseconds. */
export function waitMs(attempts: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** (attempts - 1))
}

/** `wasGone`: the receiver had another address, which was gone. */
async function deliverChannel(
  outbox: OpenHistory,
  receiver: Receiver,
  delivery: Delivery,
  wasGone: boolean,
): Promise<void> {
  const { name } = receiver
  const { now, totalMs, every } = delivery
  const token = await outbox.claim(name)
  if (token === undefined) return
  const end = now() + totalMs
  const taken = new AbortController()
  // One message may take longer than a claim lasts.
  const stopRenewing = every(heartbeatMs, async () => {
    // The server is away: the next renewal says whose the channel is.
    const isOurs = await outbox.renew(name, token).catch(() => true)
    if (!isOurs) taken.abort()
  })
  const signal = AbortSignal.any([delivery.signal, taken.signal])
  try {
    if (wasGone) await outbox.markGone(name, undefined)
    while (!signal.aborted && now() < end && (await outbox.renew(name, token))) {
      if (!(await deliverNext(outbox, receiver, { ...delivery, signal }, end - now()))) return
    }
  } finally {
    stopRenewing()
    await outbox.release(name, token)
  }
}

/** Returns whether the next message may be tried. */
async function deliverNext(
  outbox: OpenHistory,
  receiver: Receiver,
  delivery: Delivery,
  leftMs: number,
): Promise<boolean> {
  const { now, watch, signal, timeoutAfter, timeoutMs } = delivery
  const { name, send, target, isSlow = false } = receiver
  const next = await findFirstWaiting(outbox, name)
  if (next === undefined || (delivery.isPatient && Date.parse(next.nextTryAt) > now())) return false
  const { id, body, attempts, createdAt } = next
  const message = readMessage(body)
  const attempt = (form: Message) =>
    send(form, AbortSignal.any([signal, timeoutAfter(isSlow ? leftMs : Math.min(timeoutMs, leftMs))]))
  const first = await attempt(message)
  const refusal = !first.ok && first.isAboutMessage ? first.error : undefined
  const outcome = refusal === undefined ? first : await attempt(shorten(message))
  const at = isoTime(now())
  if (outcome.ok) {
    await outbox.delivered(id, at)
    watch.delivered(name, id, refusal)
    return true
  }
  // We were stopped, or another process took the channel: that does not count against the receiver.
  if (signal.aborted) return false
  const { isGone = false, isAboutMessage = false, waitMs: askedMs } = outcome
  const error = isAboutMessage ? `${outcome.error}, also to its short form` : outcome.error
  const isOver = isAboutMessage || (askedMs === undefined && now() - Date.parse(createdAt) >= dayMs)
  const nextTryAt = isoTime(now() + (askedMs ?? waitMs(attempts + 1)))
  await outbox.failed(id, { at, error, nextTryAt: isOver ? undefined : nextTryAt })
  if (isGone) {
    await outbox.markGone(name, { at, target })
    watch.gone(name)
  }
  if (isOver) watch.gaveUp(name, id, error)
  else watch.failed(name, id, error)
  return isOver && !isGone
}
