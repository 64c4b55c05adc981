import { isMasked } from '../../model/resource.ts'
import { resourceRule } from '../engine/define-rule.ts'
import { type Certificate, certificateOf, isoDate } from '../shared/certificate.ts'

const minRsaBits = 2048

export const mtlsWeak = resourceRule('endpoint', {
  id: 'endpoint/mtls-weak',
  title: 'Client certificate is weak or unusable',
  severity: 'medium',
  packs: ['tls'],
  skipsMasked: true,
  check({ attributes: { mtls_client_cert: mtls } }, { now }) {
    if (mtls?.client_cert === undefined || isMasked(mtls.client_cert)) return
    const certificate = certificateOf(mtls.client_cert)
    const reasons = certificate === undefined ? ['cannot be parsed'] : reasonsOf(certificate, now)
    if (reasons.length > 0) {
      return { path: '/mtls_client_cert/client_cert', message: `the certificate ${reasons.join(' and ')}` }
    }
    return undefined
  },
})

function reasonsOf({ rsaBits, brokenHash, notBefore }: Certificate, now: number): string[] {
  return [
    ...(rsaBits !== undefined && rsaBits < minRsaBits
      ? [`has an RSA key of ${rsaBits} bits (minimum: ${minRsaBits})`]
      : []),
    ...(brokenHash === undefined ? [] : [`is signed with ${brokenHash}`]),
    ...(!(now >= notBefore) ? [`is not valid before ${isoDate(notBefore)}`] : []),
  ]
}
