import { classOf, messageOf } from '../model/errors.ts'
import { failure, type HttpFailure } from './http-outcome.ts'
import type { FaultKind } from './service-fault.ts'

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

/**
 * Describes an error that was thrown while a request was sent or its answer was read. Never throws: a bad answer ends
 * only its own exchange. The error's text is left out, because it may quote what was sent.
 */
export function networkFailure(error: unknown): HttpFailure {
  const code = codeOf(error)
  const known = broken[code]
  if (known !== undefined) return failure(kindOf(code), known, { again: 'later', isWrongScheme: hungUp.includes(code) })
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
  // The tunnel through a proxy was not opened; undici puts the status into the text only.
  const refusal = /^Proxy response \((\d{3})\)|\((407)\)/.exec(messageOf(error).slice(0, longestMessage))
  if (refusal) {
    const status = refusal[1] ?? refusal[2]
    return failure('http', `the proxy answered ${status}`, {
      again: status === '407' ? 'never' : 'later',
      surelyNotRun: true,
    })
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
        hint: 'check the port and the scheme (http or https)',
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

function kindOf(code: string): FaultKind {
  if (code.endsWith('_OVERFLOW')) return 'malformed'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown_host'
  return code.endsWith('TIMEOUT') || code === 'ETIMEDOUT' ? 'timeout' : 'network'
}

/** The proxy's answer is within the first line of an error. */
const longestMessage = 1000

/** Empty without a code. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return ''
  return error.code.length <= 60 && /^\w+$/.test(error.code) ? error.code : ''
}

/** Codes of OpenSSL's verification, and Node's code for the name. */
function isCertificateCode(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UND_ERR_PRX_TLS/.test(code)
}
