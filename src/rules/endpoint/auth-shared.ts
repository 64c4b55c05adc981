import { isMasked } from '../../model/resource.ts'
import { aggregateRule } from '../engine/rule.ts'
import { destinationOf } from '../shared/destination.ts'
import { SharedUses } from '../shared/shared-uses.ts'

export const authShared = aggregateRule({
  id: 'endpoint/auth-shared',
  title: 'The same credentials are sent to different hosts',
  severity: 'medium',
  packs: ['secrets'],
  kind: 'endpoint',
  visits: ['endpoint'],
  scope: 'fleet',
  // By seal. OAuth is left out: its secret goes to the token server, not to the endpoints.
  start: () => new SharedUses(),
  visit(uses, { attributes: { authentication, url } }, at) {
    const { api_key: apiKey, basic_auth: basic } = authentication ?? {}
    for (const [path, seal] of [
      ['/authentication/api_key/header_value', apiKey?.header_value],
      ['/authentication/basic_auth/password', basic?.password],
    ] as const) {
      if (seal === undefined || isMasked(seal)) continue
      const host = destinationOf(url ?? '')?.host
      if (host !== undefined) uses.add(seal, at, [path, host])
    }
  },
  *conclude(uses) {
    for (const shared of uses.shared()) {
      const hosts = new Set(shared.map(({ facts: [, host] }) => host)).size
      if (hosts < 2) continue
      for (const { at, facts } of shared) {
        yield { at, path: facts[0] ?? '', message: `the same credential is sent to ${hosts} hosts` }
      }
    }
  },
})
