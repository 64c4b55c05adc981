import { z } from 'zod'
import type { ChannelState, WaitingMessage } from '../history/outbox.ts'
import type { HistoryReader } from '../history/reader.ts'
import { listChannels, listUndelivered } from '../history/sql/outbox.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { schemas } from '../model/report.ts'
import { listOf } from '../model/schema.ts'
import type { Outcome } from '../notify/message.ts'
import { type Answer, type AnswerForm, type AnswerView, aboutHistory, aboutNoRun, limited } from '../report/answer.ts'
import { showTime } from '../report/text/show-time.ts'
import { toAnswerRun } from './as-of.ts'
import { given, parameter, question } from './question.ts'

const outboxRow = z.object({
  channel: z.string(),
  id: z.string(),
  run: z.int().min(0).nullable().describe('null for a message that is not about a run.'),
  created_at: schemas.time,
  state: z.enum(['pending', 'dead']),
  attempts: schemas.count,
  next_try_at: schemas.time.nullable(),
  error: z.string().nullable(),
})
export type OutboxRow = z.infer<typeof outboxRow>

export const notifyForm: AnswerForm = {
  name: 'notify',
  version: 3,
  command: 'notify [--pending]',
  about: aboutHistory,
  row: outboxRow,
  more: {
    channels: listOf(
      z.object({
        name: z.string(),
        state: z.enum(['open', 'gone']),
        gone_at: schemas.time.nullable(),
        pending: schemas.count,
        dead: schemas.count,
        last_delivered_at: schemas.time.nullable(),
        last_message: z
          .object({
            created_at: schemas.time,
            state: z.enum(['pending', 'delivered', 'dead']),
            ended_at: schemas.time.nullable().describe('When it was delivered or given up; null while it waits.'),
          })
          .nullable()
          .describe('The newest message; null where it was forgotten: messages are kept for some days.'),
      }),
    ),
  },
}

export const pendingMessages = question({
  form: notifyForm,
  parameters: {
    pending: parameter('--pending', 'only show the channels, and their pending and undeliverable messages', given),
  },
  isOfRun: false,
  async read(history, _, { limit }) {
    return { answer: await answerOutbox(history, limit), view: outboxView }
  },
})

const channelTestRow = z.object({ channel: z.string(), id: z.string(), ok: z.boolean(), error: z.string().nullable() })
export type ChannelTestRow = z.infer<typeof channelTestRow>

export const notifyTestForm: AnswerForm = {
  name: 'notify-test',
  version: 2,
  command: 'notify --test',
  about: aboutNoRun,
  row: channelTestRow,
}

/** The channels, and the messages that were not delivered. */
export async function answerOutbox(history: HistoryReader, limit: number): Promise<Answer<OutboxRow>> {
  const [channels, messages, last] = [
    await listChannels(history),
    await listUndelivered(history),
    await findLastRun(history),
  ]
  const states = channels.map(({ name, pending, dead, lastDeliveredAt, lastMessage, gone }) => {
    const state = gone === null ? 'open' : 'gone'
    const last_message = lastMessage && {
      created_at: lastMessage.createdAt,
      state: lastMessage.state,
      ended_at: lastMessage.endedAt,
    }
    const gone_at = gone?.at ?? null
    return { name, state, gone_at, pending, dead, last_delivered_at: lastDeliveredAt, last_message }
  })
  return {
    form: notifyForm,
    run: last === undefined ? null : toAnswerRun(last),
    more: { channels: states },
    remarks: channels.length === 0 ? ['No channel has had a message yet.'] : channels.map(describeChannel),
    ...limited(messages.map(toRow), limit),
    conclusion: adviseOn(channels),
  }
}

/** What makes the messages arrive. */
function adviseOn(channels: readonly ChannelState[]): readonly string[] {
  const gone = channels.filter((channel) => channel.gone !== null)
  const waiting = channels.filter((channel) => channel.gone === null && channel.pending > 0)
  return [
    ...gone.map(
      ({ name }) => `To enable ${name} again, correct its address, and run \`hookdrift notify --test ${name}\`.`,
    ),
    ...(waiting.length === 0
      ? []
      : ['To deliver what waits at once, repair the receiver, and run `hookdrift notify`.']),
  ]
}

function toRow({ id, channel, run, createdAt, state, attempts, nextTryAt, error }: WaitingMessage): OutboxRow {
  const next_try_at = state === 'pending' ? nextTryAt : null
  return { channel, id, run, created_at: createdAt, state, attempts, next_try_at, error }
}

function describeChannel({ name, pending, dead, lastDeliveredAt, gone }: ChannelState): string {
  const fate = gone === null ? '' : `GONE: its receiver answered 410 at ${showTime(gone.at)}, disabled; `
  const last = lastDeliveredAt === null ? 'nothing was delivered yet' : `last delivered at ${showTime(lastDeliveredAt)}`
  return `${name}: ${fate}${pending} pending, ${dead} undeliverable, ${last}`
}

export const outboxView: AnswerView<OutboxRow> = {
  columns: [
    { name: 'channel', breaks: true },
    'id',
    { name: 'run', link: 'run' },
    { name: 'created_at', show: (row) => showTime(row.created_at) },
    'state',
    'attempts',
    { name: 'next_try_at', show: (row) => showTime(row.next_try_at ?? '-') },
    'error',
  ],
  nothing: 'No message is pending.',
  isOfRun: false,
}

/** The results of test messages, one row per channel. */
export function answerChannelTest(
  tested: readonly { readonly channel: string; readonly id: string; readonly outcome: Outcome }[],
  limit: number,
): Answer<ChannelTestRow> {
  const rows = tested.map(({ channel, id, outcome }) => {
    return { channel, id, ok: outcome.ok, error: outcome.ok ? null : outcome.error }
  })
  return { form: notifyTestForm, run: null, ...limited(rows, limit) }
}

export const channelTestView: AnswerView<ChannelTestRow> = {
  columns: ['channel', { name: 'ok', show: ({ ok }) => (ok ? 'ok' : 'FAILED') }, { name: 'id', only: 'csv' }, 'error'],
  nothing: '',
  isOfRun: false,
}
