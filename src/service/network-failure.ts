import { messageOf } from '../model/errors.ts'
import { type Failure, failure } from './exchange.ts'

/** The connection was never made: whatever was asked did not run. */
const unconnected: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name cannot be looked up now',
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
}

/**
 * What an error of the connection means. Its own text is left out: it may quote what was sent. Anything without an
 * error code is a bug and thrown again.
 */
export function networkFailure(error: unknown): Failure {
  const code = codeOf(error)
  if (code === undefined) throw error
  const notMade = unconnected[code]
  if (notMade !== undefined) return failure('unavailable', notMade, { again: 'later', surelyNotRun: true })
  // The tunnel through a proxy was not opened; undici puts the status into the text only.
  const refusal = /^Proxy response \((\d{3})\)|\((407)\)/.exec(messageOf(error))
  if (refusal) {
    const status = refusal[1] ?? refusal[2]
    return failure('unavailable', `the proxy answered ${status}`, {
      again: status === '407' ? 'never' : 'later',
      surelyNotRun: true,
    })
  }
  if (isCertificateCode(code)) {
    return failure('unavailable', `the certificate of the service is not accepted (${code})`, { surelyNotRun: true })
  }
  return failure('unavailable', broken[code] ?? `the connection failed (${code})`, { again: 'later' })
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' && /^\w{1,60}$/.test(error.code) ? error.code : undefined
}

/** Codes of OpenSSL's verification, and of Node's for the name. */
function isCertificateCode(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UND_ERR_PRX_TLS/.test(code)
}
