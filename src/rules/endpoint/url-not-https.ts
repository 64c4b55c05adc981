import { resourceRule } from '../engine/define-rule.ts'
import { destinationOf } from '../shared/destination.ts'

export const urlNotHttps = resourceRule('endpoint', {
  id: 'endpoint/url-not-https',
  title: 'Deliveries travel in clear',
  severity: 'high',
  packs: ['tls', 'standard-webhooks'],
  check({ attributes }) {
    const destination = destinationOf(attributes.url ?? '')
    if (destination?.scheme === 'http:') {
      return { path: '/url', message: `delivers to ${destination.host} over plain http` }
    }
    return undefined
  },
})
