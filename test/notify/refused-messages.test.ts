import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { describe, expect, it } from 'vitest'
import type { DecodedChannel } from '../../src/config/notify-schema.ts'
import { listUndelivered } from '../../src/history/sql/outbox.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { sendByEmail } from '../../src/notify/channels/email.ts'
import { sendToGitHub } from '../../src/notify/channels/github.ts'
import { sendToJira } from '../../src/notify/channels/jira.ts'
import { sendToPagerDuty } from '../../src/notify/channels/pagerduty.ts'
import { sendToSlack } from '../../src/notify/channels/slack.ts'
import { sendToTeams } from '../../src/notify/channels/teams.ts'
import { sendToWebhook } from '../../src/notify/channels/webhook.ts'
import { deliver } from '../../src/notify/deliver.ts'
import type { SendMessage } from '../../src/notify/message.ts'
import { temporaryDatabasePaths } from '../history/database-fixture.ts'
import { Machines } from '../history/processes.ts'
import { aMessage, anExplainedEvent } from './samples.ts'
import { openReceiver } from './webhook-receiver.ts'

const newFile = temporaryDatabasePaths()
const token = 'not-a-real-token'
const secret = `whsec_${Buffer.from('not-a-real-secret-of-a-webhook').toString('base64')}`
const routing_key = 'x'.repeat(32)
const memory = { find: async () => undefined, lastChange: async () => undefined, remember: async () => {} }
const rest = { env: {}, now: () => 0, memory }

const issue = { number: 1, state: 'open', updated_at: '2026-11-21T03:00:00Z', labels: [] }

/** Channels that no other machine receives, and mail, which has its own server below. */
type Other = 'log' | 'directory' | 'email'

/** Each sort of receiver: who sends to its URL, the texts that a body has, and what it answers where it takes them. */
const receivers: Readonly<Record<Exclude<DecodedChannel['type'], Other>, Receiver>> = {
  slack: { sender: (url) => sendToSlack({ url, max_characters: 40_000 }, {}), textsOf: ({ text }) => text },
  teams: { sender: (url) => sendToTeams({ url }, {}), textsOf: ({ attachments }) => JSON.stringify(attachments) },
  webhook: { sender: (url) => sendToWebhook({ url, secret }, {}, () => 0), textsOf: JSON.stringify },
  pagerduty: {
    sender: (url) => sendToPagerDuty({ routing_key, url }, {}),
    textsOf: ({ payload }) => payload.custom_details.what,
  },
  github_issue: {
    sender: (url) => sendToGitHub({ repository: 'acme/payments', token, api_url: url }, rest),
    textsOf: ({ body = '' }) => body,
    answer: (_, isPost) => (isPost ? { ...issue, body: '' } : []),
  },
  jira: {
    sender: (url) => sendToJira({ url, project: 'OPS', token, issue_type: 'Task', max_characters: 30_000 }, rest),
    textsOf: ({ fields }) => fields.description,
    answer: (path) => (path.includes('/search') ? { issues: [] } : { key: 'OPS-1' }),
  },
}

interface Receiver {
  readonly sender: (url: string) => SendMessage
  // biome-ignore lint/suspicious/noExplicitAny: a body as it was posted
  readonly textsOf: (body: any) => string
  readonly answer?: (path: string, isPost: boolean) => object
}

/** A receiver that refuses with a status what has more characters. */
async function openLimited(type: keyof typeof receivers, most: number, status: number) {
  const { sender, textsOf, answer = () => ({}) } = receivers[type]
  const receiver = await openReceiver(({ path, body }) => {
    const isTooLong = body !== '' && textsOf(JSON.parse(body)).length > most
    return isTooLong ? { status } : { status: 200, body: JSON.stringify(answer(path, body !== '')) }
  })
  return { send: sender(receiver.url), [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() }
}

async function openLimitedMailServer(most: number, code: number) {
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData(stream, _, callback) {
      let length = 0
      stream.on('data', (chunk) => {
        length += chunk.length
      })
      stream.on('end', () => callback(length > most ? Object.assign(new Error('no'), { responseCode: code }) : null))
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo // it listens on TCP
  const send = sendByEmail({ smtp: `smtp://127.0.0.1:${port}`, from: 'a@example.com', to: ['b@example.com'] })
  return { send, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)) }
}

const long = aMessage('long', {
  events: Array.from({ length: 20 }, (_, at) => anExplainedEvent(at, { text: 'x'.repeat(400) })),
  incident: { action: 'trigger', key: 'hookdrift-1' },
})
const short = aMessage('short', { incident: { action: 'trigger', key: 'hookdrift-2' } })

/** Delivers both once, and says what became of them. */
async function deliverBoth(send: SendMessage): Promise<readonly string[]> {
  const process = new Machines().process(1)
  const history = openSqliteHistory(newFile(), process)
  const said: string[] = []
  const messages = [long, short].map((message) => {
    return { id: message.id, channel: 'c', run: 1, body: JSON.stringify(message) }
  })
  await history.enqueue(messages, new Date(process.now()).toISOString())
  await deliver(history, {
    receivers: [{ name: 'c', target: '', send }],
    now: process.now,
    timeoutMs: 10_000,
    totalMs: 60_000,
    timeoutAfter: (ms) => AbortSignal.timeout(ms),
    every: process.every,
    signal: new AbortController().signal,
    isPatient: false,
    watch: {
      delivered: (_, id, refusal) => said.push(refusal === undefined ? id : `${id} in short, ${refusal}`),
      failed: (_, id, error) => said.push(`${id} waits, ${error}`),
      gone: () => {},
      gaveUp: (_, id, error) => said.push(`${id} given up, ${error}`),
    },
  })
  const undelivered = await listUndelivered(history)
  return [...said, ...undelivered.map(({ id, state, error }) => `${id} is ${state}: ${error}`)]
}

describe('a message that its receiver refuses', () => {
  it.each([
    ['slack', 400],
    ['teams', 413],
    ['webhook', 413],
    ['pagerduty', 400],
    ['github_issue', 422],
    ['jira', 400],
  ] as const)('as too long arrives in its short form, and holds nothing back: %s', async (type, status) => {
    await using receiver = await openLimited(type, 2_000, status)
    const refusal = expect.stringMatching(`^long in short, answered ${status}\\b`)
    expect(await deliverBoth(receiver.send)).toEqual([refusal, 'short'])
  })

  it.each([
    [400, 'given up'],
    [413, 'given up'],
    [415, 'given up'],
    [422, 'given up'],
    [401, 'waits'],
    [403, 'waits'],
    [404, 'waits'],
    [408, 'waits'],
    [429, 'waits'],
    [500, 'waits'],
    [503, 'waits'],
  ])('in every form with %i is %s: only what is about it is given up at once', async (status, fate) => {
    await using receiver = await openReceiver(({ body }) => ({ status: body.includes('"msg_') ? 200 : status }))
    const said = await deliverBoth(sendToWebhook({ url: receiver.url, secret }, {}, () => 0))
    const error = `answered ${status}`
    expect(said[0]).toContain(`long ${fate}, ${error}`)
    expect(said[0]?.endsWith(', also to its short form')).toBe(fate === 'given up')
    expect(said.filter((line) => line.startsWith('short'))).toHaveLength(fate === 'given up' ? 2 : 1)
  })

  it('by a mail server, after it took the address, arrives in its short form', async () => {
    await using server = await openLimitedMailServer(3_000, 552)
    expect(await deliverBoth(server.send)).toEqual([
      'long in short, the mail was not accepted: EMESSAGE (552)',
      'short',
    ])
  })

  it('by a mail server for now waits', async () => {
    await using server = await openLimitedMailServer(0, 451)
    expect((await deliverBoth(server.send))[0]).toMatch(/^long waits, /)
  })

  it('asks nothing of a receiver of requests that are about no message', async () => {
    await using receiver = await openReceiver(() => ({ status: 422 }))
    const send = sendToGitHub({ repository: 'acme/payments', token, api_url: receiver.url }, rest)
    expect((await deliverBoth(send))[0]).toMatch(/^long waits, answered 422/)
  })
})
