import { z } from 'zod'
import { oauthOf } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'
import {
  allowHosts,
  allowRanges,
  destinationOf,
  isAllowedHost,
  isInAllowedRange,
  type Reach,
  reachOf,
} from '../shared/destination.ts'

const words = {
  metadata: 'a cloud metadata address',
  loopback: 'the gateway itself',
  private: 'a private address',
} as const satisfies Record<Exclude<Reach, 'public'>, string>

export const oauthUrlPrivate = resourceRule('endpoint', {
  id: 'endpoint/oauth-url-private',
  title: 'Token URL points into a private network',
  severity: 'high',
  packs: ['ssrf'],
  options: z.strictObject({ allow_hosts: allowHosts, allow_ranges: allowRanges }),
  check({ attributes }, { options }) {
    const url = oauthOf(attributes)?.url
    const destination = url === undefined ? undefined : destinationOf(url)
    if (destination === undefined) return
    const reach = reachOf(destination)
    const { host } = destination
    if (reach === 'public' || isAllowedHost(options.allow_hosts, host)) return
    if (reach !== 'metadata' && isInAllowedRange(options.allow_ranges, destination)) return
    return { path: '/authentication/oauth2/url', message: `the token server ${host} is ${words[reach]}` }
  },
})
