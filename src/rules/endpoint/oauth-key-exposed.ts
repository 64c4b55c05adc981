import { isMasked } from '../../model/resource.ts'
import { resourceRule } from '../engine/define-rule.ts'
import { listed } from '../shared/listed.ts'

/** What must stay private of a JWK (RFC 7518, 6.2.2, 6.3.2 and 6.4). */
const privateMembers = ['d', 'dp', 'dq', 'k', 'p', 'q', 'qi'] as const

export const oauthKeyExposed = resourceRule('endpoint', {
  id: 'endpoint/oauth-key-exposed',
  title: 'Private signing key is readable through the API',
  severity: 'info',
  packs: ['secrets'],
  check({ attributes: { authentication } }) {
    const key = authentication?.oauth2?.signing_key
    if (key === undefined) return
    const readable = privateMembers.filter((member) => key[member] !== undefined && !isMasked(key[member]))
    if (readable.length > 0) {
      return {
        path: '/authentication/oauth2/signing_key',
        message: `anyone who can list endpoints can read the private members ${listed(readable)} of the signing key`,
      }
    }
    return undefined
  },
})
