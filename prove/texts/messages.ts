import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import MarkdownIt from 'markdown-it'
import { SMTPServer } from 'smtp-server'
import { openNotificationLog } from '../../src/app/log.ts'
import type { DecodedChannel, TicketChannel } from '../../src/config/notify-schema.ts'
import { sendToDirectory } from '../../src/notify/channels/directory.ts'
import { sendByEmail } from '../../src/notify/channels/email.ts'
import { sendToGitHub } from '../../src/notify/channels/github.ts'
import { sendToJira } from '../../src/notify/channels/jira.ts'
import { sendToPagerDuty } from '../../src/notify/channels/pagerduty.ts'
import { sendToSlack } from '../../src/notify/channels/slack.ts'
import { sendToTeams } from '../../src/notify/channels/teams.ts'
import { sendToWebhook } from '../../src/notify/channels/webhook.ts'
import type { Message, SendMessage } from '../../src/notify/message.ts'
import { sendToLog } from '../../src/notify/open-channel.ts'
import type { TicketMemory } from '../../src/notify/send-tickets.ts'
import type { Format } from '../../src/report/formats.ts'
import { actsInGitHub, actsInJira } from '../../test/notify/acting-tickets.ts'
import { aMessage, anExplainedEvent } from '../../test/notify/samples.ts'
import { openGitHub, openJira } from '../../test/notify/simulated-tracker.ts'
import { actsIn } from '../../test/pages/hostile-texts.ts'
import { formatTests } from '../../test/report/format-test.ts'
import { aReport, aViolation } from '../../test/report/sample-reports.ts'
import { serve } from '../serve.ts'

/** A message with the text in every place for texts of a service. */
function messageOf(text: string): Message {
  const event = { name: text, uid: text, owner: text, text, project: `acme/${text}`, path: `/${text}` }
  return aMessage('msg_1', {
    title: `HIGH acme/${text}: 1 high opened`,
    events: [anExplainedEvent(1, event), anExplainedEvent(2, { ...event, title: text, remediation: text })],
  })
}

/** What a hostile text did to the message of each channel, as its receiver sees it. */
export async function damageInMessages(text: string): Promise<string[]> {
  receiver ??= openReceivers()
  const { url, port, take, takeMail } = await receiver
  const message = messageOf(text)
  const sent = async (send: SendMessage) => {
    const outcome = await send(message, AbortSignal.timeout(60_000))
    return outcome.ok ? take() : `not sent: ${JSON.stringify(outcome)}`
  }
  const secret = `whsec_${Buffer.from('not-a-real-secret-of-a-webhook').toString('base64')}`
  const bodies: Readonly<
    Record<Exclude<DecodedChannel['type'], TicketChannel['type'] | 'log' | 'directory' | 'email'>, string>
  > = {
    slack: await sent(sendToSlack({ url, max_characters: 40_000 }, {})),
    teams: await sent(sendToTeams({ url }, {})),
    pagerduty: await sent(sendToPagerDuty({ routing_key: 'x'.repeat(32), url }, {})),
    webhook: await sent(sendToWebhook({ url, secret }, {}, () => 0)),
  }
  const mail = { smtp: `smtp://127.0.0.1:${port}`, from: 'hookdrift@example.com', to: ['platform@example.com'] }
  await sent(sendByEmail(mail))
  return [
    ...damageInSlack(bodies.slack),
    ...damageInTeams(bodies.teams),
    ...damageInJson('pagerduty', bodies.pagerduty),
    ...damageInJson('webhook', bodies.webhook),
    ...damageInMail(takeMail()),
    ...(await damageInTickets(message)),
    ...(await damageInLog(message)),
    ...(await damageInDirectory(text)),
  ]
}

let trackers: ReturnType<typeof openTrackers> | undefined

/** For as long as the process lives. */
async function openTrackers() {
  const [gitHub, jira] = [await openGitHub(), await openJira()]
  const token = 'not-a-real-token'
  const rest = () => ({ env: {}, now: () => Date.parse('2026-11-21T03:00:00Z'), memory: emptyMemory() })
  return {
    github: {
      tickets: gitHub.tickets,
      acts: actsInGitHub,
      open: () => sendToGitHub({ repository: 'acme/payments', token, api_url: gitHub.url }, rest()),
    },
    jira: {
      tickets: jira.tickets,
      acts: actsInJira,
      open: () =>
        sendToJira({ url: jira.url, project: 'OPS', token, issue_type: 'Task', max_characters: 30_000 }, rest()),
    },
  }
}

function emptyMemory(): TicketMemory {
  const rows = new Map<string, { readonly reference: string | null; readonly changedAt: string }>()
  return {
    find: async (key) => rows.get(key),
    lastChange: async () => undefined,
    remember: async (key, reference, changedAt) => void rows.set(key, { reference, changedAt }),
  }
}

/** A ticket that is opened, and a comment on it. */
async function damageInTickets(message: Message): Promise<string[]> {
  trackers ??= openTrackers()
  const found: string[] = []
  for (const [name, { tickets, acts, open }] of Object.entries(await trackers)) {
    tickets.length = 0
    const send = open()
    for (const [number, action] of (['trigger', 'update'] as const).entries()) {
      const about = { ...message, id: `msg_${number}`, incident: { action, key: 'hookdrift-1' } }
      const outcome = await send(about, AbortSignal.timeout(60_000))
      if (!outcome.ok) found.push(`${name}: not sent: ${outcome.error.slice(0, 100)}`)
    }
    if (tickets.length !== 1 || tickets[0]?.comments.length !== 1) found.push(`${name}: not one ticket with a comment`)
    found.push(...tickets.flatMap(acts).map((what) => `${name}: ${what.slice(0, 100)}`))
  }
  return found
}

/** A line is one object, with any text in it. */
async function damageInLog(message: Message): Promise<string[]> {
  const written: string[] = []
  const stderr = { write: (line: string) => written.push(line) > 0, on: () => {} }
  const log = openNotificationLog({ stdout: stderr, stderr, env: {}, cwd: () => '/' })
  await sendToLog({ name: 'log' }, log)(message, AbortSignal.timeout(60_000))
  const lines = written.join('').split('\n').slice(0, -1)
  return [
    ...(lines.length === message.events.length + 1 ? [] : [`log: ${lines.length} lines`]),
    ...lines.flatMap((line) => {
      const acting = actsIn(line)
      return [
        ...(acting === undefined ? [] : [`log: U+${acting.codePointAt(0)?.toString(16)}`]),
        ...damageInJson('log', line),
      ]
    }),
  ]
}

const kept = ['json', 'text', 'html', 'csv', 'markdown'] as const satisfies readonly Format[]

/** Files have our names, in our directory, and what is in them is read as the formats alone are. */
async function damageInDirectory(text: string): Promise<string[]> {
  const violation = aViolation({ name: text, uid: text, owner: text, message: text, path: `/${text}` })
  const report = aReport({ violations: [violation] })
  const path = mkdtempSync(join(tmpdir(), 'hookdrift-texts-'))
  try {
    const send = sendToDirectory({ path, formats: [...kept], keep: 9 }, async () => report)
    const outcome = await send(aMessage(), AbortSignal.timeout(60_000))
    if (!outcome.ok) return [`directory: not sent: ${outcome.error}`]
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
    const strange = names.filter((name) => !/^(?:latest|run-\d{6})(?:\/report(?:\.[a-z]+)+)?$/.test(name))
    const read = (format: (typeof kept)[number], file: string) =>
      formatTests[format].damage(readFileSync(join(path, 'latest', file), 'utf8'), report)
    return [
      ...strange.map((name) => `directory: the file ${name.slice(0, 60)}`),
      ...[...read('json', 'report.json'), ...read('text', 'report.txt'), ...read('html', 'report.html')],
      ...[...read('csv', 'report.csv'), ...read('markdown', 'report.md')],
    ].map((what) => what.slice(0, 200))
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}

let receiver: ReturnType<typeof openReceivers> | undefined

/** A server for webhooks and one for mail, for as long as the process lives. */
async function openReceivers() {
  let body = ''
  let mail = ''
  const server = await serve((request, response) => {
    body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => response.writeHead(202, { 'content-type': 'application/json' }).end('{"status":"success"}'))
  })
  const smtp = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onData(stream, _, done) {
      mail = ''
      stream.setEncoding('utf8').on('data', (text: string) => {
        mail += text
      })
      stream.on('end', () => done())
    },
  })
  smtp.on('error', () => {}) // a client that hangs up
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  const { port } = smtp.server.address() as AddressInfo // as: it listens on a port
  return { url: server.url, port, take: () => body, takeMail: () => mail }
}

/** Slack reads `<…>` as a link or a mention; addresses of ours are configured. */
function damageInSlack(body: string): string[] {
  const parsed = jsonOf(body)
  if (parsed === undefined) return [`slack: ${body.slice(0, 100)}`]
  const { text } = parsed as { readonly text: string }
  const acting = text.match(/<(?!https:\/\/(?:convoy|reports)\.example\/)[^>]*>?|@(?:here|channel|everyone)/g) ?? []
  return acting.map((found) => `slack: ${found.slice(0, 100)}`)
}

const markdown = MarkdownIt({ html: true, linkify: true })

/** Teams reads Markdown in blocks of text. */
function damageInTeams(body: string): string[] {
  const parsed = jsonOf(body)
  if (parsed === undefined) return [`teams: ${body.slice(0, 100)}`]
  return [...blocksIn(parsed)].flatMap((text) => {
    const links = markdown.parse(text, {}).flatMap(({ children }) => children ?? [])
    const targets = links.flatMap((token) =>
      (token.attrs ?? []).flatMap(([name, value]) => (/^(?:href|src)$/.test(name) ? [`${value}`] : [])),
    )
    const foreign = targets.filter((target) => !/^https:\/\/(?:convoy|reports)\.example\//.test(target))
    return foreign.map((target) => `teams: a link to ${target.slice(0, 100)}`)
  })
}

function* blocksIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  if ('type' in value && value.type === 'TextBlock' && 'text' in value && typeof value.text === 'string')
    yield value.text
  for (const member of Object.values(value)) yield* blocksIn(member)
}

function damageInJson(channel: string, body: string): string[] {
  return jsonOf(body) === undefined ? [`${channel}: ${body.slice(0, 100)}`] : []
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const usualHeaders =
  /^(?:from|to|subject|message-id|date|mime-version|content-type|content-transfer-encoding|auto-submitted|x-auto-response-suppress|references|in-reply-to|precedence|x-hookdrift-[\w-]+)$/i

/** A mail has the headers that we write, each once, and lines that no server cuts. */
function damageInMail(mail: string): string[] {
  const end = mail.indexOf('\r\n\r\n')
  const lines = mail
    .slice(0, end)
    .replaceAll(/\r\n[ \t]/g, ' ')
    .split('\r\n')
  const names = lines.map((line) => line.slice(0, line.indexOf(':')))
  const strange = names.filter((name, at) => !usualHeaders.test(name) || names.indexOf(name) !== at)
  const long = mail.split('\r\n').filter((line) => line.length > 998)
  return [...strange.map((name) => `mail: the header ${name.slice(0, 60)}`), ...long.map(() => 'mail: a line too long')]
}
