import { isMasked } from '../../model/resource.ts'
import { destinationOf } from '../destination.ts'
import { foldRule, type Place } from '../rule.ts'

interface Use {
  readonly at: Place
  readonly path: string
  readonly host: string
}

export const authShared = foldRule({
  id: 'endpoint/auth-shared',
  title: 'The same credentials are sent to different hosts',
  severity: 'medium',
  packs: ['secrets'],
  kind: 'endpoint',
  visits: ['endpoint'],
  scope: 'fleet',
  // By seal. OAuth is left out: its secret goes to the token server, not to the endpoints.
  start: () => new Map<string, Use | Use[]>(),
  visit(uses, { attributes: { authentication, url } }, at) {
    const { api_key: apiKey, basic_auth: basic } = authentication ?? {}
    for (const [path, seal] of [
      ['/authentication/api_key/header_value', apiKey?.header_value],
      ['/authentication/basic_auth/password', basic?.password],
    ] as const) {
      if (seal === undefined || isMasked(seal)) continue
      const host = destinationOf(url ?? '')?.host
      if (host === undefined) continue
      const use = { at, path, host }
      const known = uses.get(seal)
      if (known === undefined) uses.set(seal, use)
      else if (Array.isArray(known)) known.push(use)
      else uses.set(seal, [known, use])
    }
  },
  *conclude(uses) {
    for (const shared of uses.values()) {
      if (!Array.isArray(shared)) continue
      const hosts = new Set(shared.map(({ host }) => host)).size
      if (hosts < 2) continue
      for (const { at, path } of shared) yield { at, path, message: `the same credential is sent to ${hosts} hosts` }
    }
  },
})
