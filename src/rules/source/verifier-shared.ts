import { isMasked } from '../../model/resource.ts'
import { activeSecrets, type Endpoint, lacks } from '../engine/attributes.ts'
import { fleetRule } from '../engine/define-rule.ts'
import type { FleetFact } from '../engine/rule.ts'
import { verifierSecretOf } from '../shared/secret-strength.ts'

export const verifierShared = fleetRule({
  id: 'source/verifier-shared',
  title: 'Source secret is reused elsewhere',
  severity: 'high',
  packs: ['secrets', 'standard-webhooks'],
  skipsMasked: true,
  kind: 'source',
  visits: ['endpoint', 'source'],
  facts({ kind, attributes }) {
    if (kind === 'source' && 'verifier' in attributes) {
      const secret = verifierSecretOf(attributes.verifier)
      if (secret === undefined || isMasked(secret.seal)) return []
      return [[secret.seal, secret.path, lacks(attributes, 'provider') ? '' : (attributes.provider ?? '')]]
    }
    if (!('secrets' in attributes || 'authentication' in attributes)) return []
    return [...sealsOf(attributes)].map((seal): FleetFact => [seal])
  },
  *conclude(inProject, elsewhere) {
    const providers = new Set([...inProject, ...elsewhere].map(({ details }) => details[1] ?? ''))
    // Shopify and Twitter have one secret for all that an app sends.
    const severity = providers.size === 1 && !providers.has('') ? 'low' : 'high'
    const sources = inProject.filter(({ at }) => at.kind === 'source')
    const endpoints = inProject.length - sources.length
    const others = [
      ...(sources.length > 1 ? [counted(sources.length - 1, 'other source')] : []),
      ...(endpoints > 0 ? [counted(endpoints, 'endpoint')] : []),
      ...(elsewhere.length > 0 ? ['other projects'] : []),
    ]
    for (const { at, details } of sources) {
      yield { at, path: details[0] ?? '', message: `secret is also used by ${listed(others)}`, severity }
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
  return count === 1 ? `1 ${what}` : `${count} ${what}s`
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
