import { oauthOf } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'

/** Key type, and curve where the algorithm has one (RFC 7518, 3.1 and 6.2.1.1), of all with which the service signs. */
const keys: Readonly<Record<string, { readonly kty: string; readonly crv?: string }>> = {
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  ES512: { kty: 'EC', crv: 'P-521' },
  RS256: { kty: 'RSA' },
  RS384: { kty: 'RSA' },
  RS512: { kty: 'RSA' },
  PS256: { kty: 'RSA' },
  PS384: { kty: 'RSA' },
  PS512: { kty: 'RSA' },
}

export const oauthAlgorithmMismatch = resourceRule('endpoint', {
  id: 'endpoint/oauth-algorithm-mismatch',
  title: 'Client assertion cannot be signed: algorithm or key is wrong',
  severity: 'high',
  packs: ['delivery'],
  acceptedWith: ['/authentication/oauth2'],
  check({ attributes }) {
    const oauth = oauthOf(attributes)
    if (oauth === undefined || oauth.authentication_type !== 'client_assertion') return
    const path = '/authentication/oauth2/signing_algorithm'
    const { signing_algorithm: algorithm = 'ES256', signing_key: { kty, crv } = {} } = oauth
    const wanted = Object.hasOwn(keys, algorithm) ? keys[algorithm] : undefined
    if (wanted === undefined) return { path, message: `the service does not sign with ${algorithm}` }
    if (kty === undefined) return
    const isCurve = kty === wanted.kty && wanted.crv !== undefined
    const [found, expected] = isCurve ? [crv, wanted.crv] : [kty, wanted.kty]
    if (found === undefined || found === expected) return
    const of = isCurve ? 'on curve' : 'of type'
    return { path, message: `${algorithm} requires a key ${of} ${expected}; the signing key is ${of} ${found}` }
  },
})
