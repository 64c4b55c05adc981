import { isIP } from 'node:net'
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { foreignText } from './foreign-text.ts'

/** The certificate that a port shows. Names are fit for a message. */
export interface ShownCertificate {
  /** Host names and addresses that it is for, at most three. */
  readonly names: readonly string[]
  /** Dates such as 2027-02-01; undefined when unreadable. */
  readonly validFrom: string | undefined
  readonly validTo: string | undefined
}

/**
 * Greets a port in TLS and hangs up, to explain a connection that failed: what certificate it shows; undefined where it
 * does not speak TLS. The certificate is only read, so it need not be valid; no key and no request is sent.
 */
export function inspectPort(url: string, timeoutMs: number): Promise<ShownCertificate | undefined> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const servername = isIP(host) === 0 ? { servername: host } : {}
  const { promise, resolve } = Promise.withResolvers<ShownCertificate | undefined>()
  const socket: TLSSocket = connect({
    host,
    port: Number(port) || (protocol === 'http:' ? 80 : 443),
    ...servername,
    rejectUnauthorized: false,
  })
  const end = (shown?: ShownCertificate) => {
    socket.destroy()
    resolve(shown)
  }
  socket.setTimeout(timeoutMs, () => end())
  socket.once('error', () => end())
  socket.once('secureConnect', () => end(describe(socket.getPeerCertificate())))
  return promise
}

function describe({ subject, subjectaltname = '', valid_from, valid_to }: PeerCertificate): ShownCertificate {
  const alternatives = subjectaltname
    .split(', ')
    .filter((name) => name.startsWith('DNS:') || name.startsWith('IP Address:'))
    .map((name) => name.slice(name.indexOf(':') + 1))
  const common = subject?.CN === undefined ? [] : [subject.CN].flat()
  const names = (alternatives.length > 0 ? alternatives : common).slice(0, 3).map((name) => foreignText(name, ''))
  return { names, validFrom: dateOf(valid_from), validTo: dateOf(valid_to) }
}

function dateOf(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10)
}
