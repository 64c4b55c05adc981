import { computesEncoding, computesHash, isReadableHeader, knowsProvider } from '../../gateway/signatures.ts'
import type { Verifier } from '../engine/attributes.ts'
import type { RuleFinding } from '../engine/rule.ts'

const members = { header: isReadableHeader, hash: computesHash, encoding: computesEncoding } as const

/** What the service cannot use of the verifier of an http source. */
export function* verifierFaults(verifier: Verifier | null, provider: string | null | undefined): Iterable<RuleFinding> {
  const noSecret = { path: '/verifier/hmac/secret', message: 'no secret: anyone can compute the signature' }
  const unusable = (path: string, what: string): RuleFinding => ({ path, message: `${what}: every event is refused` })
  if (provider) {
    const type = verifier?.type ?? 'noop'
    if (!knowsProvider(provider)) yield unusable('/provider', `the service does not know the provider \`${provider}\``)
    else if (type !== 'hmac')
      yield unusable('/verifier', `${provider} signs its events, but the verifier is \`${type}\``)
    else if (verifier?.hmac?.secret === undefined) yield noSecret
    return
  }
  const user = verifier?.type === 'basic_auth' ? verifier.basic_auth?.username : undefined
  if (user?.includes(':')) yield unusable('/verifier/basic_auth/username', `the user name \`${user}\` has a colon`)
  const header = verifier?.type === 'api_key' ? verifier.api_key?.header_name : undefined
  // Without a name the service reads `Authorization`.
  if (header?.trim() && !isReadableHeader(header))
    yield unusable('/verifier/api_key/header_name', `the service can read no header \`${header}\``)
  if (verifier?.type !== 'hmac') return
  if (verifier.hmac?.secret === undefined)
    yield { ...noSecret, message: `${noSecret.message}; from v26.3.7 on, every event is answered 500` }
  for (const member of ['header', 'hash', 'encoding'] as const) {
    const value = verifier.hmac?.[member]
    if (value === undefined) yield unusable(`/verifier/hmac/${member}`, `no ${member}`)
    else if (!members[member](value))
      yield unusable(`/verifier/hmac/${member}`, `the service cannot use the ${member} \`${value}\``)
  }
}
