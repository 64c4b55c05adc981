import { aSource, type Cases } from '../rule-cases.ts'

const withSecret = { type: 'hmac', hmac: { secret: 'sealed:0' } }

export const cases: Cases = {
  'finds a known provider whose signature is not verified': {
    sees: [
      aSource({ provider: 'github', verifier: { type: 'noop' } }),
      aSource({ provider: 'shopify', verifier: null }),
    ],
    finds: [
      'high q1/verifier: github signs its events, but the verifier is `noop`',
      'high q1/verifier: shopify signs its events, but the verifier is `noop`',
    ],
  },
  'finds another verifier': {
    sees: [aSource({ provider: 'twitter', verifier: { type: 'api_key' } })],
    finds: ['high q1/verifier: twitter signs its events, but the verifier is `api_key`'],
  },
  'finds an HMAC without a secret': {
    sees: [aSource({ provider: 'github', verifier: { type: 'hmac' } })],
    finds: ['high q1/verifier: github signs its events, but the HMAC verifier has no secret'],
  },
  'leaves an HMAC with a secret alone': { sees: [aSource({ provider: 'github', verifier: withSecret })] },
  'leaves a source without a provider alone': {
    sees: [aSource({ provider: null, verifier: { type: 'noop' } }), aSource({ verifier: { type: 'noop' } })],
  },
  'leaves a provider that it does not know alone': {
    sees: [aSource({ provider: 'something-new', verifier: { type: 'noop' } })],
  },
  'is silent where the verifier is not shown': { sees: [aSource({ provider: 'github' })] },
}
