import { createTransport } from 'nodemailer'
import { smtpServer } from '../../config/notify-schema.ts'
import { messageOf } from '../../model/errors.ts'
import { cut, neutralise } from '../../model/text/neutralise.ts'
import { accepted, type Message, type Outcome, refused, type SendMessage } from '../message.ts'
import { type Line, plainLine, showMessage } from '../show-message.ts'

interface Email {
  readonly smtp: string
  readonly user?: string
  readonly password?: string
  readonly from: string
  readonly to: readonly string[]
}

const waitMs = 10_000

/** Mail in plain text, without pictures. */
export function sendByEmail(email: Email): SendMessage {
  const server = smtpServer(email.smtp)
  if (server === undefined) throw new Error('a mail server that is none was let through') // the schema refuses it
  const [user, pass] = [email.user ?? server.user, email.password ?? server.password]
  const auth = user === undefined || pass === undefined ? undefined : { user, pass }
  const isHere = isLoopback(server.host)
  return async (message, signal) => {
    if (signal.aborted) return refused('no answer in time')
    const transport = createTransport({
      host: server.host,
      port: server.port,
      secure: server.isSecure,
      // Otherwise an attacker who removes the offer of TLS from the greeting would get the password.
      requireTLS: auth !== undefined && !server.isSecure && !isHere,
      // Without a password, smtp:// uses TLS if the server offers it, even with an unproven certificate: better than
      // clear text. On this machine there is nothing to intercept.
      tls: { rejectUnauthorized: !isHere && (auth !== undefined || server.isSecure) },
      ...(auth === undefined ? {} : { auth }),
      connectionTimeout: waitMs,
      greetingTimeout: waitMs,
      socketTimeout: waitMs,
      dnsTimeout: waitMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const stopped = whenAborted(signal)
    const sent = transport.sendMail(mailOf(message, email)).then(
      () => accepted,
      (error: unknown): Outcome => ({ ok: false, error: describe(error), isAboutMessage: isAboutMail(error) }),
    )
    try {
      return await Promise.race([sent, stopped])
    } finally {
      transport.close()
    }
  }
}

function mailOf(message: Message, { from, to }: Email) {
  const domain = from.slice(from.lastIndexOf('@') + 1)
  return {
    from,
    to: [...to],
    // One line: a line break would begin another header.
    subject: neutralise(cut(message.title, 200)),
    text: `${showMessage(message).map(mailLine).join('\n')}\n`,
    date: new Date(message.created_at),
    // The same at every attempt, so that a mailbox recognises a duplicate.
    messageId: `<${message.id}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Hookdrift-Id': message.id },
  }
}

function mailLine(line: Line, at: number, lines: readonly Line[]): string {
  const said = plainLine(line)
  if (line.level === 'below') return `    ${said}`
  if (line.level === 'item') return `\n• ${said}`
  // A blank line keeps what is about the run apart from the events.
  return at === 1 || (at > 0 && lines[at - 1]?.level !== 'text') ? `\n${said}` : said
}

function whenAborted(signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(refused('no answer in time')), { once: true })
  })
}

/** The server took sender and receivers, and then refused the mail itself for good. */
function isAboutMail(error: unknown): true | undefined {
  const { command, responseCode } = Object(error) as { command?: unknown; responseCode?: unknown }
  return (command === 'DATA' && Number(responseCode) >= 500) || undefined
}

/** Codes only: the text of an error quotes the server, which may quote the credentials. */
function describe(error: unknown): string {
  const { code, responseCode } = Object(error) as { code?: unknown; responseCode?: unknown }
  if (/certificate|altname/i.test(messageOf(error))) return 'the certificate of the mail server is not accepted'
  const status = typeof responseCode === 'number' ? ` (${responseCode})` : ''
  const failure = typeof code === 'string' ? failures[code] : undefined
  if (failure !== undefined) return failure + status
  return `the mail was not accepted${typeof code === 'string' && /^\w{1,40}$/.test(code) ? `: ${code}` : ''}${status}`
}

const failures: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server refused the credentials',
  ECONNECTION: 'no connection to the mail server',
  ECONNREFUSED: 'connection refused',
  EDNS: 'host name not found',
  EENVELOPE: 'the mail server refused an address',
  ESOCKET: 'the connection to the mail server failed',
  ETIMEDOUT: 'no answer in time',
  ETLS: 'no TLS with the mail server, and credentials are not sent without it',
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host)
}
