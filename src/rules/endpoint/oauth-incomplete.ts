import { oauthOf } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'
import type { RuleFinding } from '../engine/rule.ts'
import { destinationOf } from '../shared/destination.ts'

const base = '/authentication/oauth2'

export const oauthIncomplete = resourceRule('endpoint', {
  id: 'endpoint/oauth-incomplete',
  title: 'OAuth settings are incomplete',
  severity: 'high',
  packs: ['delivery'],
  acceptedWith: ['/authentication/oauth2'],
  takesText: ['/authentication/oauth2/url'],
  *check({ attributes }) {
    const oauth = oauthOf(attributes)
    if (oauth === undefined) return
    if (oauth.url === undefined) yield { path: `${base}/url`, message: 'no token URL' }
    else if (destinationOf(oauth.url) === undefined) {
      yield { path: `${base}/url`, message: 'the token URL does not parse' }
    }
    if (oauth.authentication_type === undefined) {
      yield missing('authentication_type', 'no `authentication_type`: the service requests no token')
    }
    if (oauth.authentication_type === 'shared_secret') {
      if (oauth.client_secret === undefined) yield missing('client_secret', '`shared_secret` without a client secret')
    }
    if (oauth.authentication_type === 'client_assertion') {
      const { signing_key: key, issuer, subject } = oauth
      if (key === undefined) yield missing('signing_key', '`client_assertion` without a signing key')
      else if (key.kty !== undefined && key.d === undefined) {
        yield missing('signing_key', '`client_assertion` with a public key only, which cannot sign')
      } else if (key.kty === 'RSA' && (key.p === undefined || key.q === undefined)) {
        yield missing('signing_key', '`client_assertion` with an RSA key that lacks its primes `p` and `q`')
      } else if (key.kty === 'EC' && (key.x === undefined || key.y === undefined)) {
        yield missing('signing_key', '`client_assertion` with an EC key that lacks its point `x` and `y`')
      }
      if (issuer === undefined) yield missing('issuer', '`client_assertion` without an issuer')
      if (subject === undefined) yield missing('subject', '`client_assertion` without a subject')
    }
  },
})

function missing(member: string, message: string): RuleFinding {
  return { path: `${base}/${member}`, message }
}
