import type { LostMessages, NewMessage, OpenIncident, Outbox, WaitingMessage } from '../../../src/history/outbox.ts'
import { compareText } from '../../../src/history/report-order.ts'
import { isLeaseLive, type Lease, type LocalProcess } from '../../../src/history/sqlite/lease.ts'

export interface OutboxRows {
  readonly channels: Map<string, ChannelRow>
  messages: readonly MessageRow[]
  incidents: readonly Omit<OpenIncident, 'isActive'>[]
}

interface ChannelRow {
  written: number
  gone: LostMessages | null
  claim: (Lease & { readonly token: number }) | undefined
}

interface MessageRow extends Omit<WaitingMessage, 'state'> {
  readonly state: 'pending' | 'delivered' | 'dead'
  readonly body: string
  readonly endedAt: string | null
}

export function memoryOutbox(rows: OutboxRows, owner: LocalProcess): Outbox {
  const now = () => new Date(owner.now()).toISOString()
  const change = (isMeant: (row: MessageRow) => boolean, changes: (row: MessageRow) => Partial<MessageRow>): number => {
    const meant = new Set(rows.messages.filter((row) => row.state === 'pending' && isMeant(row)))
    rows.messages = rows.messages.map((row) => (meant.has(row) ? { ...row, ...changes(row) } : row))
    return meant.size
  }
  return {
    enqueue: async (messages, at) => addMessages(rows, messages, at),
    channels: async () =>
      [...rows.channels]
        .sort(([a], [b]) => compareText(a, b))
        .map(([name, { gone }]) => {
          const own = rows.messages.filter(({ channel }) => channel === name)
          const times = own.flatMap(({ state, endedAt }) => (state === 'delivered' && endedAt ? [endedAt] : []))
          return {
            name,
            pending: own.filter(({ state }) => state === 'pending').length,
            dead: own.filter(({ state }) => state === 'dead').length,
            lastDeliveredAt: times.sort().at(-1) ?? null,
            gone,
          }
        }),
    undelivered: async () =>
      rows.messages
        .flatMap(({ body: _, endedAt: __, state, ...row }) => (state === 'delivered' ? [] : [{ ...row, state }]))
        .sort((a, b) => compareText(a.channel, b.channel) || a.number - b.number),
    async firstWaiting(name) {
      const row = rows.messages.find(({ channel, state }) => channel === name && state === 'pending')
      if (row === undefined) return undefined
      const { endedAt: _, ...waiting } = row
      return { ...waiting, state: 'pending' }
    },

    async claim(name) {
      const channel = rows.channels.get(name)
      if (channel === undefined || (channel.claim !== undefined && isLeaseLive(channel.claim, owner))) return undefined
      const { host, bootId, pid } = owner
      const token = (channel.claim?.token ?? 0) + 1
      channel.claim = { token, host, bootId, pid, takenAt: now(), heartbeatAt: now() }
      return token
    },
    async renew(name, token) {
      const channel = rows.channels.get(name)
      if (channel?.claim?.token !== token) return false
      channel.claim = { ...channel.claim, heartbeatAt: now() }
      return true
    },
    async release(name, token) {
      const channel = rows.channels.get(name)
      if (channel?.claim?.token === token) channel.claim = { ...channel.claim, heartbeatAt: '1970-01-01T00:00:00.000Z' }
    },

    async delivered(id, at) {
      change(
        (row) => row.id === id,
        ({ attempts }) => ({ state: 'delivered', attempts: attempts + 1, error: null, endedAt: at }),
      )
    },
    async failed(id, { at, error, nextTryAt }) {
      const after = nextTryAt === undefined ? ({ state: 'dead', endedAt: at } as const) : { nextTryAt, endedAt: null }
      change(
        (row) => row.id === id,
        ({ attempts }) => ({ ...after, attempts: attempts + 1, error }),
      )
    },
    giveUp: async (name, before, at) =>
      change(
        ({ channel, createdAt }) => channel === name && createdAt < before,
        () => ({ state: 'dead', endedAt: at }),
      ),
    async markGone(name, gone) {
      const channel = rows.channels.get(name)
      if (channel !== undefined) channel.gone = gone ?? null
    },
    async dropFinished(before) {
      const isKept = ({ endedAt }: MessageRow) => endedAt === null || endedAt >= before
      rows.messages = [...Map.groupBy(rows.messages, ({ channel }) => channel).values()].flatMap((own) => {
        const first = own.findIndex(isKept)
        return first < 0 ? [] : own.slice(first)
      })
    },
  }
}

/** A message that is there already stays as it is. */
export function addMessages(rows: OutboxRows, messages: readonly NewMessage[], at: string): void {
  for (const message of messages) {
    if (rows.messages.some(({ id }) => id === message.id)) continue
    const channel = rows.channels.get(message.channel) ?? { written: 0, gone: null, claim: undefined }
    channel.written += 1
    rows.channels.set(message.channel, channel)
    const fresh = { state: 'pending', attempts: 0, error: null, endedAt: null } as const
    const { incident, ...plain } = message
    rows.messages = [...rows.messages, { ...plain, ...fresh, number: channel.written, createdAt: at, nextTryAt: at }]
    if (incident !== undefined) addIncident(rows, message.channel, incident)
  }
}

function addIncident(rows: OutboxRows, channel: string, { key, subjects }: NonNullable<NewMessage['incident']>): void {
  const isReplaced = (old: OutboxRows['incidents'][number]) =>
    old.channel === channel && (subjects.length === 0 ? old.key === key : subjects.includes(old.subject))
  const added = subjects.map((subject) => ({ channel, key, subject }))
  rows.incidents = [...rows.incidents.filter((old) => !isReplaced(old)), ...added]
}

export function emptyOutbox(): OutboxRows {
  return { channels: new Map(), messages: [], incidents: [] }
}
