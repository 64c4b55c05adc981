import { aSource, type Cases } from '../rule-cases.ts'

const open = 'critical q1/verifier: no verification: anyone who knows the URL can inject events'

export const cases: Cases = {
  'finds an http source with a verifier that verifies nothing': {
    sees: [aSource({ type: 'http', verifier: { type: 'noop' } })],
    finds: [open],
  },
  'finds one without a verifier': { sees: [aSource({ type: 'http', verifier: null })], finds: [open] },
  'finds one whose verifier has no type': { sees: [aSource({ type: 'http', verifier: {} })], finds: [open] },
  'is mild with a message queue': {
    sees: [aSource({ type: 'pub_sub', verifier: { type: 'noop' } })],
    finds: ['info q1/verifier: no verification: everyone who can write to the queue is trusted'],
  },
  'leaves a source with a provider to another rule': {
    sees: ['github', 'stripe'].map((provider) => aSource({ type: 'http', provider, verifier: { type: 'noop' } })),
  },
  'leaves any verifier alone': {
    sees: ['hmac', 'basic_auth', 'api_key', 'something-new'].map((type) =>
      aSource({ type: 'http', verifier: { type } }),
    ),
  },
  'is silent where the verifier is not shown': { sees: [aSource({ type: 'http' })] },
  'is silent about types that it does not know': { sees: [aSource({ type: 'db', verifier: null })] },
}
