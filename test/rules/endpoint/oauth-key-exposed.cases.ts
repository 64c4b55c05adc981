import type { JsonObject } from '../../../src/model/json.ts'
import { anEndpoint, type Cases, endpoints, masked, seal } from '../rule-cases.ts'

const withKey = (signing_key: JsonObject) => ({ authentication: { type: 'oauth2', oauth2: { signing_key } } })

export const cases: Cases = {
  'finds private members that can be read': {
    sees: [anEndpoint(withKey({ kty: 'RSA', n: 'n', e: 'AQAB', d: seal('d'), p: seal('b') }))],
    finds: [
      'info e1/authentication/oauth2/signing_key: anyone who can list endpoints can read the private members d, p of the signing key',
    ],
  },
  'leaves a public key alone, and private members that are masked': {
    sees: endpoints(withKey({ kty: 'RSA', n: 'n', e: 'AQAB' }), withKey({ kty: 'EC', crv: 'P-256', d: masked })),
  },
  'is silent where no key is shown': { sees: endpoints({}, { authentication: null }) },
}
