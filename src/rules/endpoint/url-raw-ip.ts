import { resourceRule } from '../engine/define-rule.ts'
import { destinationOf } from '../shared/destination.ts'
import { reachOf } from '../shared/reach.ts'

export const urlRawIp = resourceRule('endpoint', {
  id: 'endpoint/url-raw-ip',
  title: 'Endpoint is addressed by number instead of name',
  severity: 'low',
  packs: ['hygiene'],
  check({ attributes }) {
    const destination = destinationOf(attributes.url ?? '')
    if (destination?.address === undefined || reachOf(destination) !== 'public') return
    return { path: '/url', message: `${destination.host} is an address, not a name` }
  },
})
