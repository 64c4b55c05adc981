import { oauthOf } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'

/** Key type, and curve where the algorithm has one (RFC 7518, 3.1 and 6.2.1.1; RFC 8037). */
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
  HS256: { kty: 'oct' },
  HS384: { kty: 'oct' },
  HS512: { kty: 'oct' },
  EdDSA: { kty: 'OKP' },
}

export const oauthAlgorithmMismatch = resourceRule('endpoint', {
  id: 'endpoint/oauth-algorithm-mismatch',
  title: 'Signing algorithm does not match its key',
  severity: 'high',
  packs: ['delivery'],
  acceptedWith: ['/authentication/oauth2'],
  check({ attributes }) {
    const oauth = oauthOf(attributes)
    if (oauth === undefined || oauth.authentication_type === 'shared_secret') return
    const { signing_algorithm: algorithm = '', signing_key: { kty, crv } = {} } = oauth
    const wanted = Object.hasOwn(keys, algorithm) ? keys[algorithm] : undefined
    if (wanted === undefined || kty === undefined) return
    const isCurve = kty === wanted.kty && wanted.crv !== undefined
    const [found, expected] = isCurve ? [crv, wanted.crv] : [kty, wanted.kty]
    if (found === undefined || found === expected) return
    const of = isCurve ? 'on curve' : 'of type'
    return {
      path: '/authentication/oauth2/signing_algorithm',
      message: `${algorithm} requires a key ${of} ${expected}; the signing key is ${of} ${found}`,
    }
  },
})
