import { resourceRule } from '../engine/define-rule.ts'
import { destinationOf } from '../shared/destination.ts'

export const urlNotHttps = resourceRule('source', {
  id: 'source/url-not-https',
  title: 'Events come in over plain http',
  severity: 'medium',
  packs: ['tls', 'standard-webhooks'],
  check({ attributes: { type, url } }) {
    // A source that reads from a queue takes nothing in at its address.
    if (type !== 'http' || typeof url !== 'string') return
    const destination = destinationOf(url)
    if (destination?.scheme === 'http:') {
      return { path: '/url', message: `takes events in at ${destination.host} over plain http` }
    }
    return undefined
  },
})
