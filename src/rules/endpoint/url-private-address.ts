import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import {
  allowHosts,
  allowRanges,
  destinationOf,
  isAllowedHost,
  isInAllowedRange,
  reachOf,
} from '../shared/destination.ts'

export const urlPrivateAddress = resourceRule('endpoint', {
  id: 'endpoint/url-private-address',
  title: 'Endpoint URL points into a private network',
  severity: 'medium',
  highest: 'high',
  packs: ['ssrf'],
  options: z.strictObject({ allow_hosts: allowHosts, allow_ranges: allowRanges }),
  *check({ attributes }, { options }) {
    const destination = destinationOf(attributes.url ?? '')
    if (destination === undefined) return
    const reach = reachOf(destination)
    if (reach !== 'loopback' && reach !== 'private') return
    const { host } = destination
    if (isAllowedHost(options.allow_hosts, host) || isInAllowedRange(options.allow_ranges, destination)) return
    yield reach === 'loopback'
      ? { path: '/url', message: `${host} is the gateway itself`, severity: 'high' }
      : { path: '/url', message: `${host} is a private address` }
  },
})
