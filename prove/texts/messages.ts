import type { AddressInfo } from 'node:net'
import MarkdownIt from 'markdown-it'
import { SMTPServer } from 'smtp-server'
import { sendByEmail } from '../../src/notify/channels/email.ts'
import { sendToPagerDuty } from '../../src/notify/channels/pagerduty.ts'
import { sendToSlack } from '../../src/notify/channels/slack.ts'
import { sendToTeams } from '../../src/notify/channels/teams.ts'
import { sendToWebhook } from '../../src/notify/channels/webhook.ts'
import type { Message, SendMessage } from '../../src/notify/message.ts'
import { aMessage, anExplainedEvent } from '../../test/notify/samples.ts'
import { serve } from '../serve.ts'

/** A message with the text in every place for texts of a service. */
function messageOf(text: string): Message {
  const event = { name: text, uid: text, owner: text, text, project: `acme/${text}`, path: `/${text}` }
  return aMessage('msg_1', {
    title: `hookdrift: 1 violation opened in acme/${text}`,
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
  const bodies = {
    slack: await sent(sendToSlack({ url }, {})),
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
  ]
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
