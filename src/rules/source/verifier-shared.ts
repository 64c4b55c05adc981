import { isMasked } from '../../model/resource.ts'
import { activeSecrets, type Endpoint } from '../engine/attributes.ts'
import { aggregateRule, type FindingPlace } from '../engine/rule.ts'
import { halvesOf } from '../shared/shared-uses.ts'
import { verifierSecretOf } from '../shared/verifier-secret.ts'

interface Use {
  readonly at: FindingPlace
  readonly path: string
}

export const verifierShared = aggregateRule({
  id: 'source/verifier-shared',
  title: 'Secret of a source is used elsewhere too',
  severity: 'high',
  packs: ['secrets', 'standard-webhooks'],
  kind: 'source',
  visits: ['endpoint', 'source'],
  scope: 'fleet',
  // By seal: which sources use a secret, and how many endpoints do (52 bits of the seal are enough to count by).
  start: () => ({ sources: new Map<string, Use[]>(), endpoints: new Map<number, number>() }),
  visit({ sources, endpoints }, { kind, attributes }, at) {
    if (kind === 'source' && 'verifier' in attributes) {
      const secret = verifierSecretOf(attributes.verifier)
      if (secret === undefined || isMasked(secret.seal)) return
      const uses = sources.get(secret.seal)
      if (uses === undefined) sources.set(secret.seal, [{ at, path: secret.path }])
      else uses.push({ at, path: secret.path })
    } else if ('secrets' in attributes || 'authentication' in attributes) {
      for (const seal of sealsOf(attributes)) {
        const [first] = halvesOf(seal)
        endpoints.set(first, (endpoints.get(first) ?? 0) + 1)
      }
    }
  },
  *conclude({ sources, endpoints }) {
    for (const [seal, uses] of sources) {
      const endpointsToo = endpoints.get(halvesOf(seal)[0]) ?? 0
      const others = [
        ...(uses.length > 1 ? [counted(uses.length - 1, 'other source')] : []),
        ...(endpointsToo > 0 ? [counted(endpointsToo, 'endpoint')] : []),
      ]
      if (others.length === 0) continue
      for (const { at, path } of uses) yield { at, path, message: `the same secret is used by ${others.join(' and ')}` }
    }
  },
})

/** The secrets of an endpoint that it shows, each once. */
function sealsOf({ secrets, authentication }: Endpoint): ReadonlySet<string> {
  const seals = [
    ...activeSecrets({ secrets: secrets ?? null }).map(([, { value }]) => value),
    authentication?.api_key?.header_value,
    authentication?.basic_auth?.password,
    authentication?.oauth2?.client_secret,
  ]
  return new Set(seals.filter((seal) => typeof seal === 'string').filter((seal) => !isMasked(seal)))
}

function counted(count: number, what: string): string {
  return count === 1 ? `one ${what}` : `${count} ${what}s`
}
