import { aSource, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds credentials that are sent along': {
    sees: ['basic_auth', 'api_key'].map((type) => aSource({ type: 'http', verifier: { type } })),
    finds: [
      'low q1/verifier/type: `basic_auth` does not cover the payload: anyone who sees one request can send others',
      'low q1/verifier/type: `api_key` does not cover the payload: anyone who sees one request can send others',
    ],
  },
  'leaves a queue alone, and a source with a provider, which refuses them': {
    sees: [
      aSource({ type: 'pub_sub', verifier: { type: 'api_key' } }),
      aSource({ type: 'http', provider: 'github', verifier: { type: 'api_key' } }),
    ],
  },
  'leaves signatures alone': { sees: [aSource({ type: 'http', verifier: { type: 'hmac' } })] },
  'leaves no verifier at all to another rule': {
    sees: [aSource({ type: 'http', verifier: { type: 'noop' } }), aSource({ type: 'http', verifier: null })],
  },
}
