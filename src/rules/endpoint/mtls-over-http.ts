import { resourceRule } from '../engine/define-rule.ts'
import { destinationOf } from '../shared/destination.ts'

export const mtlsOverHttp = resourceRule('endpoint', {
  id: 'endpoint/mtls-over-http',
  title: 'Client certificate is never shown: the address is plain http',
  severity: 'medium',
  packs: ['tls'],
  check({ attributes: { mtls_client_cert: mtls, url } }) {
    if (mtls === null || mtls === undefined) return
    const destination = destinationOf(url ?? '')
    if (destination?.scheme === 'http:') {
      return { path: '/url', message: `a client certificate for ${destination.host}, and deliveries over plain http` }
    }
    return undefined
  },
})
