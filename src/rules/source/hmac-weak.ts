import { resourceRule } from '../engine/define-rule.ts'
import { isOutdatedHash } from '../shared/outdated-hash.ts'

export const hmacWeak = resourceRule('source', {
  id: 'source/hmac-weak',
  title: 'Source verifies with an outdated hash',
  severity: 'high',
  packs: ['secrets', 'standard-webhooks'],
  acceptedWith: ['/verifier'],
  check({ attributes: { verifier } }) {
    const hash = verifier?.type === 'hmac' ? verifier.hmac?.hash : undefined
    if (hash === undefined) return
    const isShort = /^sha-?224$/i.test(hash)
    if (isShort || isOutdatedHash(hash)) {
      return {
        path: '/verifier/hmac/hash',
        message: `verifies events with HMAC-${hash} (recommended: SHA256)`,
        severity: isShort ? 'low' : 'high',
      }
    }
    return undefined
  },
})
