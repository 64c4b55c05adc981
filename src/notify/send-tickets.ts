import type { z } from 'zod'
import type { ForOwners } from '../config/notify-schema.ts'
import type { ProxyVariables } from '../gateway/service/proxy-for.ts'
import type { StoredTicket } from '../history/outbox.ts'
import { matchesGlob } from '../model/glob.ts'
import { cut, neutralise } from '../model/text/neutralise.ts'
import { isoTime } from '../model/time.ts'
import { accepted, type Message, type SendMessage } from './message.ts'
import { exchange, ReceiverRefusal } from './request.ts'
import { fitMessage, type Line, showMessage } from './show-message.ts'

/** A ticket as its tracker shows it. */
export interface Ticket {
  readonly reference: string
  readonly text: string
  readonly isClosed: boolean
  /** In the tracker's form. */
  readonly changedAt: string
}

/** What a comment says. */
export interface TicketNote {
  /** Of the message that it comes from. */
  readonly id: string
  readonly text: string
  /** When the message was written: ISO 8601, UTC. */
  readonly at: string
}

export interface TicketDraft extends TicketNote {
  readonly key: string
  readonly title: string
  readonly labels: readonly string[]
  readonly assignees: readonly string[]
}

/** Asks a tracker, and decodes its answer. Rejects with a ReceiverRefusal. */
export type AskTracker = <Answer>(
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  answer: z.ZodType<Answer>,
  body?: object,
) => Promise<Answer>

/** What a tracker is asked for. Each call may be repeated, except `create`; all reject with a ReceiverRefusal. */
export interface Tracker {
  /** Lines in the markup of its texts. */
  render(lines: readonly Line[]): string
  /** undefined: it is no longer there. */
  read(reference: string): Promise<Ticket | undefined>
  /** Finds the ticket of a key. undefined: the tracker was read, and there is none. */
  find(key: string): Promise<Ticket | undefined>
  create(draft: TicketDraft): Promise<Ticket>
  /** Adds a comment unless the ticket has one with this id. */
  comment(ticket: Ticket, note: TicketNote): Promise<void>
  /** False: the ticket stays as it is, because its workflow does not offer the state. */
  move(ticket: Ticket, to: TicketState): Promise<boolean>
}

/** `ended`: not because it is mended, as far as it is known. */
export type TicketState = 'open' | 'solved' | 'ended'

/** What the history knows of the tickets of a channel. */
export interface TicketMemory {
  find(key: string): Promise<Pick<StoredTicket, 'reference' | 'changedAt'> | undefined>
  /** When the tracker last changed one of them. */
  lastChange(): Promise<string | undefined>
  remember(key: string, reference: string | null, changedAt: string): Promise<void>
}

/** What sending needs from outside. */
export interface TicketDependencies {
  readonly env: ProxyVariables
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly memory: TicketMemory
}

interface TrackerChannel {
  readonly url: string
  /** One of them has the token. */
  readonly headers: Readonly<Record<string, string>>
  /** What to do about a status, in words that follow it. */
  readonly advice: Readonly<Record<number, string>>
  readonly open: (ask: AskTracker, memory: TicketMemory) => Tracker
  readonly labels: ForOwners<readonly string[]> | undefined
  readonly assignees: ForOwners<readonly string[] | string> | undefined
  /** Of a text. */
  readonly mostCharacters: number
}

/** A test leaves nothing in the history. */
const noMemory: TicketMemory = {
  find: async () => undefined,
  lastChange: async () => undefined,
  remember: async () => {},
}
const testKey = 'hookdrift-test'
/** Only who may set labels can put it on a ticket: a ticket of a stranger is not taken for one of hookdrift. */
export const ticketLabel = 'hookdrift'

/** A tracker may still be creating a ticket, or not list it yet, when the answer was lost. */
const listedAfterMs = 120_000

/**
 * Opens a ticket for each incident, comments on it, closes it and opens it again. No tracker takes a key that makes a
 * creation repeatable. So the intention is recorded before a ticket is created, and after a lost answer the ticket is
 * searched for before another is created.
 */
export function sendTickets(channel: TrackerChannel, { env, now, memory }: TicketDependencies): SendMessage {
  const { url, headers, advice, open } = channel
  const base = url.replace(/\/$/, '')
  return async (message, signal) => {
    const ticketMemory = message.incident === undefined ? noMemory : memory
    const ask: AskTracker = (method, path, schema, content) => {
      const body = content === undefined ? null : JSON.stringify(content)
      const read = (text: string) => schema.parse(text === '' ? null : JSON.parse(text))
      return exchange({ method, url: base + path, headers, body, advice }, mostBytes, read, { env, now, signal })
    }
    try {
      await apply(message, channel, { tracker: open(ask, ticketMemory), memory: ticketMemory, now })
      return accepted
    } catch (error) {
      if (error instanceof ReceiverRefusal) return error.outcome
      throw error
    }
  }
}

/** A hundred tickets as long as GitHub takes them. */
const mostBytes = 16 * 1024 * 1024

/** Undefined where a tracker answers with one of the statuses. */
export async function unlessRefused<Answer>(
  answer: Promise<Answer>,
  ...statuses: readonly number[]
): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ReceiverRefusal && statuses.includes(error.status ?? 0)) return undefined
    throw error
  }
}

async function apply(
  message: Message,
  { labels, assignees, mostCharacters }: TrackerChannel,
  { tracker, memory, now }: { readonly tracker: Tracker; readonly memory: TicketMemory; readonly now: () => number },
): Promise<void> {
  const { id, title, counts, incident, created_at: at } = message
  const key = incident?.key ?? testKey
  const textOf = (message: Message) => tracker.render(showMessage(message))
  const note: TicketNote = { id, text: fitMessage(message, textOf, ({ length }) => length <= mostCharacters), at }
  const types = Object.keys(counts)
  const existing = await findTicket()
  if (incident?.action === 'resolve') {
    if (existing === undefined) return
    await tracker.comment(existing, note)
    // Without events, it ended unseen, or is asked for no longer.
    const isSolved = types.length > 0 && !types.includes('violation.closed')
    return move(existing, isSolved ? 'solved' : 'ended')
  }
  const isUpdate = incident?.action === 'update'
  if (existing === undefined) {
    // A ticket that was deleted is not opened for a violation that a waiver accepts.
    if (isUpdate && types.every((type) => type === 'violation.waived')) return
    return endTest(await create())
  }
  // The attempt before this one opened it. If it is closed, a person closed it since.
  if (existing.text.includes(id)) return
  await tracker.comment(existing, note)
  if (!isUpdate) await move(existing, 'open')
  await endTest({ ...existing, isClosed: false })

  async function findTicket(): Promise<Ticket | undefined> {
    const entry = await memory.find(key)
    const ticket = entry?.reference == null ? undefined : await tracker.read(entry.reference)
    if (ticket !== undefined) return ticket
    const waitMs = entry?.reference === null ? Date.parse(entry.changedAt) + listedAfterMs - now() : 0
    if (waitMs > 0) {
      const error =
        'the answer to the creation of a ticket was lost: hookdrift searches for it once the tracker surely lists it'
      throw new ReceiverRefusal({ ok: false, error, waitMs: Math.min(waitMs, listedAfterMs) }, true)
    }
    const unremembered = await tracker.find(key)
    if (unremembered !== undefined) await memory.remember(key, unremembered.reference, unremembered.changedAt)
    return unremembered
  }

  async function create(): Promise<Ticket> {
    const draft: TicketDraft = {
      ...note,
      key,
      // It mentions no user and no other ticket.
      title: neutralise(cut(title, longestTitle)).replace(/[@#]|:(?=\/\/)/g, '$&\u2060'),
      labels: [...new Set([ticketLabel, ...chosenFor(labels, message)])],
      assignees: [...new Set(chosenFor(assignees, message))],
    }
    await memory.remember(key, null, isoTime(now()))
    try {
      const ticket = await createAssigned(tracker, draft)
      await memory.remember(key, ticket.reference, ticket.changedAt)
      return ticket
    } catch (error) {
      // There is no ticket that could show up later.
      const isNone = error instanceof ReceiverRefusal && error.isCertain && (await memory.find(key))?.reference === null
      if (isNone) await memory.remember(key, null, isoTime(0))
      throw error
    }
  }

  async function move(ticket: Ticket, to: TicketState): Promise<void> {
    if (ticket.isClosed !== (to === 'open') || (await tracker.move(ticket, to))) return
    const words = `hookdrift cannot ${to === 'open' ? 'reopen' : 'close'} this ticket: its workflow has no such transition.`
    await tracker.comment(ticket, { id: `${id}_left`, text: sayIn(tracker, words), at })
  }

  async function endTest(ticket: Ticket): Promise<void> {
    if (incident === undefined) await move(ticket, 'solved')
  }
}

/** A tracker refuses an assignee that it does not know: the ticket counts more. */
async function createAssigned(tracker: Tracker, draft: TicketDraft): Promise<Ticket> {
  const { assignees, text } = draft
  if (assignees.length === 0) return tracker.create(draft)
  const ticket = await unlessRefused(tracker.create(draft), 400, 422)
  const words = `The tracker refused to assign it to ${assignees.join(', ')}.`
  return ticket ?? tracker.create({ ...draft, assignees: [], text: `${text}\n\n${sayIn(tracker, words)}` })
}

function sayIn(tracker: Tracker, words: string): string {
  return tracker.render([{ level: 'text', said: words }])
}

/** GitHub takes 256 characters, Jira 255. */
const longestTitle = 200

/** What a channel has for the owners of some events: for all, or where a pattern matches, in the order of the file. */
function chosenFor(chosen: TrackerChannel['assignees'], { events, causes = [] }: Message): readonly string[] {
  if (chosen === undefined) return []
  if (typeof chosen === 'string' || Array.isArray(chosen)) return [chosen].flat()
  const named = [...events.map(({ owner = '' }) => owner), ...causes.flatMap(({ owners }) => owners)]
  const owners = named.length === 0 ? [''] : named
  return Object.entries(chosen).flatMap(([pattern, value]) =>
    owners.some((owner) => matchesGlob(owner, pattern)) ? value : [],
  )
}
