import { isMasked } from '../../model/resource.ts'
import { fleetRule } from '../engine/define-rule.ts'
import type { FleetFact, LocatedFact } from '../engine/rule.ts'
import { destinationOf } from '../shared/destination.ts'

export const authShared = fleetRule({
  id: 'endpoint/auth-shared',
  title: 'The same credential is sent to different hosts',
  severity: 'medium',
  packs: ['secrets'],
  skipsMasked: true,
  acceptedWith: ['/url'],
  kind: 'endpoint',
  visits: ['endpoint'],
  // OAuth is left out: its secret goes to the token server, not to the endpoints.
  // Of the members that the type does not ask for, none is sent.
  facts({ attributes: { authentication, url } }) {
    const seals = [
      ['api_key', '/authentication/api_key/header_value', authentication?.api_key?.header_value],
      ['basic_auth', '/authentication/basic_auth/password', authentication?.basic_auth?.password],
    ] as const
    return seals.flatMap(([type, path, seal]): FleetFact[] => {
      if (authentication?.type !== type) return []
      const host = seal === undefined || isMasked(seal) ? undefined : destinationOf(url ?? '')?.host
      return seal === undefined || host === undefined ? [] : [[seal, path, host]]
    })
  },
  *conclude(inProject, elsewhere) {
    const hosts = hostsOf(inProject)
    const isElsewhere = [...hostsOf(elsewhere)].some((host) => !hosts.has(host))
    if (hosts.size < 2 && !isElsewhere) return
    const here = hosts.size > 1 ? `${hosts.size} hosts` : ''
    const where = [here, isElsewhere ? 'other hosts in other projects' : ''].filter(Boolean).join(', and to ')
    for (const { at, details } of inProject) {
      yield { at, path: details[0] ?? '', message: `the same credential is sent to ${where}` }
    }
  },
})

function hostsOf(facts: readonly LocatedFact[]): ReadonlySet<string | undefined> {
  return new Set(facts.map(({ details: [, host] }) => host))
}
