import { aSource, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds credentials that are sent along': {
    sees: ['basic_auth', 'api_key'].map((type) => aSource({ verifier: { type } })),
    finds: [
      'low q1/verifier/type: `basic_auth` does not cover the payload: anyone who sees one request can send others',
      'low q1/verifier/type: `api_key` does not cover the payload: anyone who sees one request can send others',
    ],
  },
  'leaves signatures alone': { sees: [aSource({ verifier: { type: 'hmac' } })] },
  'leaves no verifier at all to another rule': {
    sees: [aSource({ verifier: { type: 'noop' } }), aSource({ verifier: null })],
  },
}
