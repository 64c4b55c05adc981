import { z } from 'zod'
import { dayMs } from '../../model/time.ts'
import { resourceRule } from '../engine/define-rule.ts'
import { certificateOf, isoDate } from '../shared/certificate.ts'

export const mtlsExpiring = resourceRule('endpoint', {
  id: 'endpoint/mtls-expiring',
  title: 'Client certificate expires soon',
  severity: 'high',
  packs: ['tls'],
  skipsMasked: true,
  options: z.strictObject({
    min_days: z.number().positive().default(30).describe('Days that the certificate must still be valid'),
  }),
  check({ attributes: { mtls_client_cert: mtls } }, { options, now }) {
    if (mtls?.client_cert === undefined) return
    const certificate = certificateOf(mtls.client_cert)
    if (certificate === undefined) return
    const { notAfter } = certificate
    if (now > notAfter - options.min_days * dayMs && now <= notAfter) {
      return {
        path: '/mtls_client_cert/client_cert',
        message: `certificate expires on ${isoDate(notAfter)} (policy: valid for at least ${options.min_days} more days)`,
      }
    }
    return undefined
  },
})
