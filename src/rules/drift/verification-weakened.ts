import { lacks, type Source, type Verifier } from '../engine/attributes.ts'
import { driftRule } from '../engine/define-rule.ts'
import { findReturned } from '../shared/secret-strength.ts'
import { verifierFaults } from '../shared/verifier-faults.ts'

export const verificationWeakened = driftRule({
  id: 'drift/verification-weakened',
  title: 'Source verification was weakened',
  severity: 'critical',
  packs: ['secrets', 'standard-webhooks'],
  acceptedWith: ['/verifier'],
  takesText: ['/provider', '/verifier/hmac/hash', '/verifier/hmac/encoding'],
  kinds: ['source'],
  *check({ before, after, ...drift }) {
    if (before?.verifier === undefined || after?.verifier === undefined) return
    const [old, now] = [before.verifier, after.verifier]
    // A queue trusts every writer: what its source verifies does not matter.
    const severity = after.type === 'pub_sub' ? 'info' : 'critical'
    const [oldRank, nowRank] = [rankOf(old), rankOf(now)]
    if (oldRank === undefined || nowRank === undefined) return
    if (nowRank < oldRank && !refusesAll(after)) {
      yield { path: '/verifier', message: describe(old, now), severity }
      return
    }
    yield* findReturned({ '/verifier': 'verification' }, drift)
  },
})

/** What binds the payload is worth more than what is merely sent along. */
const ranks = { noop: 0, basic_auth: 1, api_key: 1, hmac: 2 } as const

/** Then nothing weaker is accepted: source/verifier-broken reports it. The copies in subscriptions show no provider. */
function refusesAll(source: Source): boolean {
  const { type, verifier = null } = source
  return type === 'http' && [...verifierFaults(verifier, lacks(source, 'provider') ? null : source.provider)].length > 0
}

/** undefined for a kind that is not known. */
function rankOf(verifier: Verifier | null): number | undefined {
  const type = verifier?.type ?? 'noop'
  return type === 'noop' || type === 'basic_auth' || type === 'api_key' || type === 'hmac' ? ranks[type] : undefined
}

function describe(old: Verifier | null, now: Verifier | null): string {
  const [was, is] = [nameOf(old), nameOf(now)]
  return is === undefined ? `verification removed (was ${was})` : `verifies by ${is} (was ${was})`
}

function nameOf(verifier: Verifier | null): string | undefined {
  const type = verifier?.type ?? 'noop'
  return type === 'noop'
    ? undefined
    : type === 'api_key'
      ? 'an API key'
      : type === 'basic_auth'
        ? 'basic authentication'
        : 'HMAC'
}
