import { aProbe, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'says how a result breaks the expectation': {
    sees: [aProbe({ outcome: 'ok', unexpected: 'the result does not satisfy `payload.n == 1`' })],
    finds: ['high orders/unexpected: the result does not satisfy `payload.n == 1`'],
  },
  'leaves results that meet it alone, and failures to another rule': {
    sees: [aProbe({ outcome: 'ok', unexpected: null }), aProbe({ outcome: 'failed', unexpected: null })],
  },
}
