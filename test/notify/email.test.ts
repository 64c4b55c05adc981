import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { describe, expect, it } from 'vitest'
import { sendByEmail } from '../../src/notify/channels/email.ts'
import { aMessage, anEvent, anExplainedEvent, hostile } from './samples.ts'

interface Mail {
  readonly from: string | undefined
  readonly to: readonly string[]
  readonly user: string | undefined
  readonly text: string
}

/** A mail server on a port of its own that keeps what it gets. */
async function openMailServer(options: SMTPServerOptions = {}) {
  const mails: Mail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    onAuth: ({ username, password }, _, callback) =>
      password === 'not-a-real-key'
        ? callback(null, { user: username ?? '' })
        : callback(new Error('no: not-a-real-key')),
    onData(stream, { envelope, user }, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk) => chunks.push(chunk))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? undefined : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        mails.push({ from, to, user: user || undefined, text: Buffer.concat(chunks).toString() })
        callback()
      })
    },
    ...options,
  })
  server.on('error', () => {}) // a client that hangs up
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo // it listens on TCP
  return {
    port,
    mails,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

/** Quoted-printable, as text. */
function decoded(mail: string) {
  const body = mail.slice(mail.indexOf('\r\n\r\n') + 4).replaceAll('=\r\n', '')
  const bytes = body.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

const signal = () => AbortSignal.timeout(8_000)
const addresses = { from: 'hookdrift@example.com', to: ['platform@example.com', 'duty@example.com'] }

describe('a mail', () => {
  it('goes to all addresses, in plain text, under a stable id', async () => {
    await using server = await openMailServer()
    const send = sendByEmail({ smtp: `smtp://127.0.0.1:${server.port}`, ...addresses })
    const sent = aMessage('msg_1', { events: [anExplainedEvent(1), anExplainedEvent(2)], more: 212 })
    expect(await send(sent, signal())).toEqual({ ok: true })
    expect(await send(sent, signal())).toEqual({ ok: true })
    const [mail, again] = server.mails
    expect(mail).toMatchObject({ from: addresses.from, to: addresses.to, user: undefined })
    expect(mail?.text).toContain('Subject: HIGH acme/payments: 1 high opened (run 7)\r\n')
    expect(mail?.text).toContain('Message-ID: <msg_1@example.com>\r\n')
    expect(mail?.text).toContain('Content-Type: text/plain')
    const lines = [
      '• Opened, high: Endpoint delivers over plain http, endpoint "name 1" in acme/payments, owner "tenant-06"',
      '    delivers over plain http',
      '    Open in the gateway: https://convoy.example/projects/01P/endpoints/01E1, Show in the report: https://reports.example/run-7.html#v-1',
      '    Fix: Set `url` to an https address. Run hookdrift rules endpoint/url-not-https',
      '',
      '• Opened, high: Endpoint delivers over plain http, endpoint "name 2" in acme/payments, owner "tenant-06"',
      '    delivers over plain http',
      '    Open in the gateway: https://convoy.example/projects/01P/endpoints/01E2, Show in the report: https://reports.example/run-7.html#v-2',
      '',
      '1 open violation (1 high); no drift.',
      'and 212 more: hookdrift report --run 7',
      '',
    ]
    expect(decoded(mail?.text ?? '')).toContain(lines.join('\r\n'))
    expect(again?.text.match(/Message-ID: .*/)?.[0]).toBe(mail?.text.match(/Message-ID: .*/)?.[0])
  })

  it.each(hostile)('gets no header and no address from names: %j', async (name) => {
    await using server = await openMailServer()
    const send = sendByEmail({ smtp: `smtp://127.0.0.1:${server.port}`, ...addresses })
    const message = aMessage('msg_1', {
      title: `run 7: ${name}`,
      events: [anEvent(1, { name, text: name, project: name })],
    })
    expect(await send(message, signal())).toEqual({ ok: true })
    const [mail] = server.mails
    expect(mail?.to).toEqual(addresses.to)
    const [head = ''] = (mail?.text ?? '').split('\r\n\r\n')
    expect(
      head
        .replace(/\r\n[ \t]+/g, ' ')
        .split('\r\n')
        .map((line) => line.split(':')[0]?.toLowerCase())
        .sort(),
    ).toEqual([
      ...['auto-submitted', 'content-transfer-encoding', 'content-type', 'date', 'from', 'message-id', 'mime-version'],
      ...['subject', 'to', 'x-hookdrift-id'],
    ])
  })

  it('is sent with credentials where they are configured', async () => {
    await using server = await openMailServer()
    const smtp = `smtp://127.0.0.1:${server.port}`
    const own = { user: 'hookdrift', password: 'not-a-real-key' }
    const send = sendByEmail({ smtp, ...addresses, ...own })
    await send(aMessage(), signal())
    expect(server.mails.map(({ user }) => user)).toEqual(['hookdrift'])
    const inUrl = sendByEmail({ smtp: smtp.replace('//', '//hookdrift:not-a-real-key@'), ...addresses })
    await inUrl(aMessage(), signal())
    expect(server.mails).toHaveLength(2)
  })

  it('that is refused says so, without the text of the server', async () => {
    await using server = await openMailServer()
    const smtp = `smtp://127.0.0.1:${server.port}`
    const send = sendByEmail({ smtp, ...addresses, user: 'hookdrift', password: 'wrong' })
    const outcome = await send(aMessage(), signal())
    expect(outcome).toEqual({ ok: false, error: 'the mail server refused the credentials (535)' })
    await using picky = await openMailServer({ onRcptTo: (_, __, callback) => callback(new Error('not-a-real-key')) })
    const other = await sendByEmail({ smtp: `smtp://127.0.0.1:${picky.port}`, ...addresses })(aMessage(), signal())
    expect(other).toEqual({ ok: false, error: 'the mail server refused an address (550)' })
  })

  it('that reaches no server, or a silent one, is a failure', async () => {
    const sendToClosedPort = sendByEmail({ smtp: 'smtp://127.0.0.1:9', ...addresses })
    expect(await sendToClosedPort(aMessage(), signal())).toMatchObject({ ok: false })
    await using silent = await openMailServer({ onConnect: () => {} })
    const stop = new AbortController()
    const sent = sendByEmail({ smtp: `smtp://127.0.0.1:${silent.port}`, ...addresses })(aMessage(), stop.signal)
    stop.abort()
    expect(await sent).toEqual({ ok: false, error: 'no answer in time' })
  })
})
