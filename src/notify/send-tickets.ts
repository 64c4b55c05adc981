import type { KnownTicket } from '../history/outbox.ts'
import { isoTime } from '../model/time.ts'
import type { ProxyVariables } from '../service/proxy-for.ts'
import { type AskTracker, connectTracker, type TrackerAddress, TrackerRefusal } from './ask-tracker.ts'
import { linesOfTicket, titleOfTicket } from './describe-ticket.ts'
import { accepted, type Message, type SendMessage } from './message.ts'
import type { Line } from './show-message.ts'

/** A ticket as its tracker shows it. */
export interface Ticket {
  readonly reference: string
  readonly text: string
  readonly isClosed: boolean
  /** In the tracker's form. */
  readonly changedAt: string
}

export interface TicketDraft {
  readonly key: string
  readonly title: string
  readonly lines: readonly Line[]
  readonly message: Message
}

/** What a tracker is asked for. Each call may be repeated, except `create`; all reject with a TrackerRefusal. */
export interface Tracker {
  /** undefined: it is not there any more. */
  read(reference: string): Promise<Ticket | undefined>
  /** Looks for the ticket of a key. undefined: the tracker was read, and there is none. */
  find(key: string): Promise<Ticket | undefined>
  create(draft: TicketDraft): Promise<Ticket>
  /** Adds a comment unless the ticket has one with this id. */
  comment(ticket: Ticket, id: string, lines: readonly Line[], message: Message): Promise<void>
  /** False: the ticket stays as it is, because its workflow does not offer the state. */
  move(ticket: Ticket, to: 'open' | 'solved' | 'ended'): Promise<boolean>
}

/** What the history knows of the tickets of a channel. */
export interface TicketMemory {
  find(key: string): Promise<Pick<KnownTicket, 'reference' | 'changedAt'> | undefined>
  /** When the tracker last changed one of them. */
  lastChange(): Promise<string | undefined>
  remember(key: string, reference: string | null, changedAt: string): Promise<void>
}

/** Of one test, which leaves nothing in the history. */
export function openForgetfulMemory(): TicketMemory {
  const known = new Map<string, Pick<KnownTicket, 'reference' | 'changedAt'>>()
  return {
    find: async (key) => known.get(key),
    lastChange: async () => undefined,
    async remember(key, reference, changedAt) {
      known.set(key, { reference, changedAt })
    },
  }
}

/** A tracker may still be creating a ticket, or not list it yet, when the answer was lost. */
const settlesMs = 120_000
const testKey = 'hookdrift-test'

interface TrackerConnection {
  readonly address: TrackerAddress
  readonly open: (ask: AskTracker, memory: TicketMemory) => Tracker
  readonly memory: TicketMemory
  readonly env: ProxyVariables
  readonly now: () => number
}

/**
 * Opens a ticket for each incident, comments on it, closes it and opens it again. No tracker takes a key that makes a
 * creation repeatable. So the intention is recorded before a ticket is created, and after a lost answer it is looked for
 * before another is.
 */
export function sendTickets({ address, open, memory, env, now }: TrackerConnection): SendMessage {
  return async (message, signal) => {
    const known = message.incident === undefined ? openForgetfulMemory() : memory
    const { ask, close } = connectTracker(address, { env, now, signal })
    try {
      await apply(message, open(ask, known), known, now)
      return accepted
    } catch (error) {
      if (error instanceof TrackerRefusal) return error.outcome
      throw error
    } finally {
      await close()
    }
  }
}

async function apply(message: Message, tracker: Tracker, memory: TicketMemory, now: () => number): Promise<void> {
  const { id, events, incident } = message
  const key = incident?.key ?? testKey
  const lines = linesOfTicket(message)
  const known = await findTicket()
  if (incident?.action === 'resolve') {
    if (known === undefined) return
    await tracker.comment(known, id, lines, message)
    const isSolved = events.every(({ type }) => type === 'violation.resolved' || !type.startsWith('violation.'))
    return move(known, isSolved ? 'solved' : 'ended')
  }
  const isUpdate = incident?.action === 'update'
  if (known === undefined) {
    // A ticket that was deleted is not opened for a violation that a waiver accepts.
    if (isUpdate && events.every(({ type }) => type === 'violation.waived')) return
    return endTest(await create())
  }
  // The attempt before this one opened it. If it is closed, a person closed it since.
  if (known.text.includes(id)) return
  await tracker.comment(known, id, lines, message)
  if (!isUpdate) await move(known, 'open')
  await endTest({ ...known, isClosed: false })

  async function findTicket(): Promise<Ticket | undefined> {
    const { reference = null, changedAt = '' } = (await memory.find(key)) ?? {}
    const ticket = reference === null ? undefined : await tracker.read(reference)
    if (ticket !== undefined) return ticket
    const leftMs = reference === null && changedAt !== '' ? Date.parse(changedAt) + settlesMs - now() : 0
    if (leftMs > 0) {
      const error = 'the answer to the creation of a ticket was lost: it is looked for once the tracker surely shows it'
      throw new TrackerRefusal({ ok: false, error, waitMs: Math.min(leftMs, settlesMs) }, true)
    }
    const found = await tracker.find(key)
    if (found !== undefined) await memory.remember(key, found.reference, found.changedAt)
    return found
  }

  async function create(): Promise<Ticket> {
    await memory.remember(key, null, isoTime(now()))
    try {
      const ticket = await tracker.create({ key, title: titleOfTicket(message), lines, message })
      await memory.remember(key, ticket.reference, ticket.changedAt)
      return ticket
    } catch (error) {
      // There is no ticket that could show up later.
      if (error instanceof TrackerRefusal && error.isCertain) await memory.remember(key, null, isoTime(0))
      throw error
    }
  }

  async function move(ticket: Ticket, to: 'open' | 'solved' | 'ended'): Promise<void> {
    if (ticket.isClosed !== (to === 'open') || (await tracker.move(ticket, to))) return
    const own = `hookdrift cannot ${to === 'open' ? 'reopen' : 'close'} this ticket: its workflow offers no such step.`
    await tracker.comment(ticket, `${id}_left`, [{ level: 'text', pieces: [{ own }] }], message)
  }

  async function endTest(ticket: Ticket): Promise<void> {
    if (incident === undefined) await move(ticket, 'solved')
  }
}
