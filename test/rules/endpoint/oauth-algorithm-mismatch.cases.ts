import type { JsonObject } from '../../../src/model/json.ts'
import { type Cases, endpoints } from '../rule-cases.ts'

const signing = (signing_algorithm: string, signing_key: JsonObject, authentication_type = 'client_assertion') => ({
  authentication: { type: 'oauth2', oauth2: { authentication_type, signing_algorithm, signing_key } },
})
const path = '/authentication/oauth2/signing_algorithm'

export const cases: Cases = {
  'finds a key of another type or curve than the algorithm takes': {
    sees: endpoints(
      signing('RS256', { kty: 'EC', crv: 'P-256' }),
      signing('ES256', { kty: 'RSA' }),
      signing('ES512', { kty: 'EC', crv: 'P-256' }),
    ),
    finds: [
      `high e1${path}: RS256 requires a key of type RSA; the signing key is of type EC`,
      `high e2${path}: ES256 requires a key of type EC; the signing key is of type RSA`,
      `high e3${path}: ES512 requires a key on curve P-521; the signing key is on curve P-256`,
    ],
  },
  'leaves a key that fits its algorithm alone': {
    sees: endpoints(signing('PS384', { kty: 'RSA' }), signing('ES384', { kty: 'EC', crv: 'P-384' })),
  },
  'finds an algorithm with which the service does not sign': {
    sees: endpoints(signing('HS256', { kty: 'oct' }), signing('EdDSA', { kty: 'OKP' }), signing('constructor', {})),
    finds: ['HS256', 'EdDSA', 'constructor'].map(
      (name, at) => `high e${at + 1}${path}: the service does not sign with ${name}`,
    ),
  },
  'takes no algorithm for ES256': {
    sees: endpoints({
      authentication: {
        type: 'oauth2',
        oauth2: { authentication_type: 'client_assertion', signing_key: { kty: 'RSA' } },
      },
    }),
    finds: [`high e1${path}: ES256 requires a key of type EC; the signing key is of type RSA`],
  },
  'does not evaluate an algorithm that is not in use': {
    sees: endpoints(signing('RS256', { kty: 'EC' }, 'shared_secret'), signing('HS256', {}, 'magic')),
  },
  'is silent where the algorithm or the key is not shown': {
    sees: endpoints(
      signing('RS256', {}),
      signing('ES256', { kty: 'EC' }),
      { authentication: { type: 'oauth2', oauth2: { client_id: 'c' } } },
      {},
    ),
  },
}
