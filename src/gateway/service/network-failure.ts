import { isIP } from 'node:net'
import {
  type Certificate,
  type ConnectionOptions,
  connect,
  type DetailedPeerCertificate,
  type PeerCertificate,
  type TLSSocket,
} from 'node:tls'
import { classOf, messageOf } from '../../model/errors.ts'
import { foreignText } from './foreign-text.ts'
import { refusedByProxy } from './in-front.ts'
import { failure, type HttpFailure } from './reply.ts'
import type { FaultKind } from './service-fault.ts'
import { displayBase } from './wire-request.ts'

/** No connection was made, so the request did not run. */
const unconnected: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name cannot be resolved now',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_PRX_CONN: 'the proxy closed the connection',
}

const broken: Readonly<Record<string, string>> = {
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_SOCKET: 'connection closed before the answer was whole',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection closed before the answer was whole',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped midway',
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is larger than 16 KiB',
  HPE_HEADER_OVERFLOW: 'the head of the answer is larger than 16 KiB',
}

/** So does a port that expects TLS. */
const hungUp = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']

/** Errors of the language: the same answer would raise them again. */
const ofTheLanguage = ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError']

/** The proxy's answer is within the first line of an error. */
const longestMessage = 1000

/**
 * Describes an error that was thrown while a request was sent or its answer was read. Never throws: a bad answer ends
 * only its own exchange. The error's text is left out, because it may quote what was sent. `proxyVariable`: names the
 * proxy, if there is one.
 */
export function networkFailure(error: unknown, proxyVariable?: string): HttpFailure {
  const code = codeOf(error)
  const description = broken[code]
  if (description !== undefined)
    return failure(kindOf(code), description, { again: 'later', isWrongScheme: hungUp.includes(code) })
  if (classOf(error) === 'HTTPParserError' || code.startsWith('HPE_')) {
    return failure('malformed', 'the answer is not HTTP', {
      hint: 'check the port and the scheme (http or https)',
      again: 'later',
      isWrongScheme: true,
    })
  }
  const notMade = unconnected[code]
  if (notMade !== undefined) {
    // Names appear now and then, but hardly within seconds; EAI_AGAIN is the temporary failure of a name server.
    const again = code === 'ENOTFOUND' ? 'lasting' : 'later'
    return failure(kindOf(code), notMade, { again, surelyNotRun: true })
  }
  // undici puts the status of a proxy's answer into the text only.
  const refusal = /^Proxy response \((\d{3})\)|\((407)\)/.exec(messageOf(error).slice(0, longestMessage))
  if (refusal) {
    return refusedByProxy(Number(refusal[1] ?? refusal[2]), proxyVariable)
  }
  if (isCertificateCode(code)) {
    return failure('tls', `the certificate of the service is not accepted (${code})`, {
      surelyNotRun: true,
      certificateCode: code,
    })
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    return failure(
      code === 'ERR_SSL_WRONG_VERSION_NUMBER' ? 'wrong_url' : 'tls',
      `no TLS connection could be made (${code})`,
      {
        hint: code.endsWith('_ALERT_HANDSHAKE_FAILURE')
          ? 'the service refused it, and may ask for other ciphers or for a certificate of its client'
          : 'check the port and the scheme (http or https)',
        again: 'lasting',
      },
    )
  }
  if (code !== '') return failure('network', `the connection failed (${code})`, { again: 'later' })
  const unreadable = `the answer could not be read (${classOf(error)})`
  return ofTheLanguage.includes(classOf(error))
    ? failure('malformed', unreadable)
    : failure('network', unreadable, { again: 'later' })
}

/** What can be said of the port that was asked (`Transport`). */
interface Port {
  inspect(): Promise<PortCertificate | undefined>
  readonly proxyVariable?: string | undefined
}

/**
 * Says why a connection failed, where the port shows it: what certificate it has, which scheme it speaks. `url`: base URL
 * of the service. `inspect`: reads the certificate of the port; undefined where it does not speak TLS, or cannot be
 * reached directly. Behind a proxy, a connection that was not made is one to the proxy, or through it.
 */
export async function explainConnection(
  failed: HttpFailure,
  url: string,
  { inspect, proxyVariable }: Port,
): Promise<HttpFailure> {
  const { protocol, hostname } = new URL(url)
  const { certificateCode } = failed
  if (certificateCode !== null) {
    return { ...failed, hint: describeCertificate(certificateCode, hostname, await inspect()) ?? failed.hint }
  }
  const { kind: failedKind, surelyNotRun } = failed
  const isUnmade = failedKind === 'wrong_url' || failedKind === 'tls' || (surelyNotRun && failedKind !== 'in_front')
  if (proxyVariable !== undefined && isUnmade) {
    const kind = failedKind === 'wrong_url' ? 'tls' : failedKind
    return { ...failed, kind, hint: `check the proxy that ${proxyVariable} names` }
  }
  if (failed.kind === 'wrong_url') {
    return {
      ...failed,
      hint: `the port does not speak TLS; if it speaks plain http, set url: ${withScheme(url, 'http:')}`,
    }
  }
  if (protocol !== 'http:' || !failed.isWrongScheme || (await inspect()) === undefined) return failed
  return {
    ...failed,
    kind: 'wrong_url',
    what: `${failed.what}, the port speaks TLS`,
    hint: `set url: ${withScheme(url, 'https:')}`,
    again: 'lasting',
  }
}

/** The certificate that a port shows. Names are fit for a message. */
export interface PortCertificate extends CertificateDates {
  /** Host names and addresses that it is for, at most three. */
  readonly names: readonly string[]
  /** Those that issued it, one after the other, as far as the service sends them or they are known here. */
  readonly issuers: readonly (CertificateDates & { readonly name: string })[]
  /** Who issued the last of them; undefined where that issued itself. */
  readonly missing: string | undefined
}

interface CertificateDates {
  /** Dates such as 2027-02-01; undefined when unreadable. */
  readonly validFrom: string | undefined
  readonly validTo: string | undefined
}

/**
 * Greets a port in TLS and hangs up, to explain a connection that failed: what certificate it shows; undefined where it
 * does not speak TLS. The certificate is only read, so it need not be valid; no key and no request is sent. `tls`: the
 * authorities that are known.
 */
export function inspectPort(
  url: string,
  timeoutMs: number,
  tls: Pick<ConnectionOptions, 'ca'>,
): Promise<PortCertificate | undefined> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const servername = isIP(host) === 0 ? { servername: host } : {}
  const { promise, resolve } = Promise.withResolvers<PortCertificate | undefined>()
  const socket: TLSSocket = connect({
    ...tls,
    host,
    port: Number(port) || (protocol === 'http:' ? 80 : 443),
    ...servername,
    rejectUnauthorized: false,
  })
  const end = (certificate?: PortCertificate) => {
    socket.destroy()
    resolve(certificate)
  }
  socket.setTimeout(timeoutMs, () => end())
  socket.once('error', () => end())
  socket.once('secureConnect', () => end(readCertificate(socket.getPeerCertificate(true))))
  return promise
}

/** Empty without a code. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return ''
  // OpenSSL's `ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE` has a slash.
  return /^[\w/]{1,60}$/.test(error.code) ? error.code : ''
}

function kindOf(code: string): FaultKind {
  if (code.endsWith('_OVERFLOW')) return 'malformed'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown_host'
  return code.endsWith('TIMEOUT') || code === 'ETIMEDOUT' ? 'timeout' : 'network'
}

/** Codes of OpenSSL's verification, and Node's code for the name. */
function isCertificateCode(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UND_ERR_PRX_TLS|^INVALID_|^PATH_LENGTH|^UNSPECIFIED$/.test(code)
}

function describeCertificate(code: string, host: string, certificate: PortCertificate | undefined): string | undefined {
  if (code.startsWith('INVALID_') || code.startsWith('PATH_LENGTH'))
    return 'it is not for servers, or one above it may not issue others: replace them at the service'
  if (code.includes('SELF_SIGNED_CERT_IN_CHAIN')) return describeUnknown(certificate?.issuers.at(-1)?.name)
  if (code.includes('SELF_SIGNED')) return 'it is self-signed: name the certificate of its authority in ca_file'
  if (certificate === undefined) return code.startsWith('UNABLE_TO') ? describeUnknown(undefined) : undefined
  const { names, validFrom, validTo, issuers, missing } = certificate
  const all = [{ name: undefined, validFrom, validTo }, ...issuers]
  if (code === 'CERT_HAS_EXPIRED') {
    const [first] = all.toSorted((a, b) => compareDates(a.validTo, b.validTo))
    if (first?.name === undefined) return validTo && `it expired on ${validTo}: renew it at the service`
    return `that of its authority ${first.name} expired on ${first.validTo}: replace it at the service and in ca_file`
  }
  if (code === 'CERT_NOT_YET_VALID') {
    const last = all.toSorted((a, b) => compareDates(a.validFrom, b.validFrom)).at(-1)
    const whose = last?.name === undefined ? 'it' : `that of its authority ${last.name}`
    return last?.validFrom && `${whose} is valid from ${last.validFrom} on: check the clock of this machine`
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    if (names.length === 0) return undefined
    return `it is for ${names.join(' and ')} and not for ${host}: set url to a name that it is for`
  }
  if (!code.startsWith('UNABLE_TO')) return undefined
  if (issuers.length > 0 || missing === undefined) return describeUnknown(missing)
  return `the service sends it without that of ${missing}, which issued it: have it send the whole chain, with each intermediate certificate; if ${missing} is a root of yours, name it in ca_file`
}

function describeUnknown(authority: string | undefined): string {
  const named = authority === undefined ? '' : ` ${authority}`
  return `its authority${named} is not known here: name the certificate of its authority in ca_file`
}

function compareDates(a = '', b = ''): number {
  return a.localeCompare(b)
}

function withScheme(url: string, protocol: 'http:' | 'https:'): string {
  return displayBase(url).replace(/^https?:/, protocol)
}

function readCertificate(certificate: DetailedPeerCertificate): PortCertificate {
  const issuers: DetailedPeerCertificate[] = []
  let last = certificate
  // One that issued itself is its own issuer.
  while (last.issuerCertificate !== undefined && last.issuerCertificate !== last && issuers.length < longestChain) {
    last = last.issuerCertificate
    issuers.push(last)
  }
  const { subject, subjectaltname = '' } = certificate
  const alternatives = subjectaltname
    .split(', ')
    .filter((name) => name.startsWith('DNS:') || name.startsWith('IP Address:'))
    .map((name) => name.slice(name.indexOf(':') + 1))
  const common = subject?.CN === undefined ? [] : [subject.CN].flat()
  const names = (alternatives.length > 0 ? alternatives : common).slice(0, 3).map((name) => foreignText(name, ''))
  const isWhole = last.issuerCertificate === last
  return {
    names,
    ...datesOf(certificate),
    issuers: issuers.map((issuer) => ({ name: nameOf(issuer.subject), ...datesOf(issuer) })),
    missing: isWhole ? undefined : nameOf(last.issuer),
  }
}

const longestChain = 10

/** Quoted. */
function nameOf({ CN, O, OU }: Partial<Certificate> = {}): string {
  return JSON.stringify(foreignText([CN, O, OU].flat().find((name) => name) ?? 'without a name', ''))
}

function datesOf({ valid_from, valid_to }: PeerCertificate): CertificateDates {
  return { validFrom: dateOf(valid_from), validTo: dateOf(valid_to) }
}

function dateOf(text: string | undefined): string | undefined {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10)
}
