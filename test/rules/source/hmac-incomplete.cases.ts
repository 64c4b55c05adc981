import type { JsonObject } from '../../../src/model/json.ts'
import { aSource, type Cases } from '../rule-cases.ts'

const hmac = (members: JsonObject, shown: JsonObject = { provider: null }) =>
  aSource({ verifier: { type: 'hmac', hmac: { hash: 'SHA256', ...members } }, ...shown })
const noSecret = 'high q1/verifier/hmac/secret: no secret: anyone can compute the signature'
const noHeader = 'high q1/verifier/hmac/header: no header: the source finds no signature and refuses every event'

export const cases: Cases = {
  'finds a missing secret': { sees: [hmac({ header: 'X-Signature' })], finds: [noSecret] },
  'finds a missing header': { sees: [hmac({ secret: 'sealed:0' })], finds: [noHeader] },
  'finds a verifier of which only the type is filled': {
    sees: [aSource({ verifier: { type: 'hmac' }, provider: null })],
    finds: [noSecret, noHeader],
  },
  'knows that the service knows the header of some providers': {
    sees: [hmac({ secret: 'sealed:0' }, { provider: 'github' })],
  },
  'does not miss a header where the provider is not shown': { sees: [hmac({ secret: 'sealed:0' }, {})] },
  'takes a masked secret for one': { sees: [hmac({ header: 'X-Signature', secret: 'sealed:masked' })] },
  'leaves other verifiers alone': { sees: [aSource({ verifier: { type: 'api_key' }, provider: null })] },
}
