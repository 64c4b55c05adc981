import { isMasked } from '../../model/resource.ts'
import { fleetRule } from '../engine/fleet-rule.ts'
import { destinationOf } from '../shared/destination.ts'

export const authShared = fleetRule({
  id: 'endpoint/auth-shared',
  title: 'The same credentials are sent to different hosts',
  severity: 'medium',
  packs: ['secrets'],
  kind: 'endpoint',
  visits: ['endpoint'],
  // OAuth is left out: its secret goes to the token server, not to the endpoints.
  *facts({ attributes: { authentication, url } }) {
    const { api_key: apiKey, basic_auth: basic } = authentication ?? {}
    for (const [path, seal] of [
      ['/authentication/api_key/header_value', apiKey?.header_value],
      ['/authentication/basic_auth/password', basic?.password],
    ] as const) {
      if (seal === undefined || isMasked(seal)) continue
      const host = destinationOf(url ?? '')?.host
      if (host !== undefined) yield [seal, path, host]
    }
  },
  *conclude(alike) {
    const hosts = new Set(alike.map(({ details: [, host] }) => host)).size
    if (hosts < 2) return
    for (const { at, details } of alike) {
      yield { at, path: details[0] ?? '', message: `the same credential is sent to ${hosts} hosts` }
    }
  },
})
