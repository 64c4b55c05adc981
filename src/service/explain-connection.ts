import type { HttpFailure } from './http-outcome.ts'
import type { ShownCertificate } from './inspect-port.ts'
import { shownBase } from './wire-request.ts'

/**
 * Says why a connection failed, where the port shows it: what certificate it has, which scheme it speaks. `url`: base URL
 * of the service. `inspect`: reads the certificate of the port; undefined where it does not speak TLS, or cannot be
 * reached directly.
 */
export async function explainConnection(
  failed: HttpFailure,
  url: string,
  inspect: () => Promise<ShownCertificate | undefined>,
): Promise<HttpFailure> {
  const { protocol, hostname } = new URL(url)
  const { certificateCode } = failed
  if (certificateCode !== null) {
    return { ...failed, hint: describeCertificate(certificateCode, hostname, await inspect()) ?? failed.hint }
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

function describeCertificate(code: string, host: string, shown: ShownCertificate | undefined): string | undefined {
  if (code === 'CERT_HAS_EXPIRED') return shown?.validTo && `it expired on ${shown.validTo}: renew it at the service`
  if (code === 'CERT_NOT_YET_VALID')
    return shown?.validFrom && `it is valid from ${shown.validFrom} on: check the clock of this machine`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    if (shown === undefined || shown.names.length === 0) return undefined
    return `it is for ${shown.names.join(' and ')} and not for ${host}: set url to a name that it is for`
  }
  const isSelfSigned = code.includes('SELF_SIGNED')
  const why = isSelfSigned ? 'it is self-signed' : 'its authority is not known here'
  return `${why}: name the certificate of its authority in ca_file`
}

function withScheme(url: string, protocol: 'http:' | 'https:'): string {
  return shownBase(url).replace(/^https?:/, protocol)
}
