import { resourceRule } from '../engine/define-rule.ts'
import { certificateOf, isoDate } from '../shared/certificate.ts'

export const mtlsExpired = resourceRule('endpoint', {
  id: 'endpoint/mtls-expired',
  title: 'Client certificate has expired',
  severity: 'critical',
  packs: ['tls'],
  skipsMasked: true,
  check({ attributes: { mtls_client_cert: mtls } }, { time }) {
    if (mtls?.client_cert === undefined) return
    const certificate = certificateOf(mtls.client_cert)
    if (certificate !== undefined && time.passed(certificate.notAfter)) {
      return {
        path: '/mtls_client_cert/client_cert',
        message: `certificate expired on ${isoDate(certificate.notAfter)}`,
      }
    }
    return undefined
  },
})
