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
      `high e1${path}: RS256 takes a key of RSA, this one is of EC`,
      `high e2${path}: ES256 takes a key of EC, this one is of RSA`,
      `high e3${path}: ES512 takes a key of P-521, this one is of P-256`,
    ],
  },
  'leaves a key that fits its algorithm alone': {
    sees: endpoints(
      signing('PS384', { kty: 'RSA' }),
      signing('ES384', { kty: 'EC', crv: 'P-384' }),
      signing('EdDSA', { kty: 'OKP', crv: 'Ed25519' }),
    ),
  },
  'does not evaluate an algorithm that it does not know, or that is not in use': {
    sees: endpoints(
      signing('constructor', { kty: 'EC' }),
      signing('XX999', { kty: 'EC' }),
      signing('RS256', { kty: 'EC' }, 'shared_secret'),
    ),
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
