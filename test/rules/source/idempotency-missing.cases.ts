import { aSource, type Cases } from '../rule-cases.ts'

const missing = 'low q1/idempotency_keys: no idempotency keys: an event that the sender repeats is delivered again'

export const cases: Cases = {
  'finds an http source without keys': {
    sees: [aSource({ type: 'http', idempotency_keys: [] }), aSource({ type: 'http', idempotency_keys: null })],
    finds: [missing, missing],
  },
  'leaves one with keys alone': { sees: [aSource({ type: 'http', idempotency_keys: ['request.Header.X-Event-Id'] })] },
  'leaves queues alone': { sees: [aSource({ type: 'pub_sub', idempotency_keys: [] })] },
  'is silent where keys are not shown': { sees: [aSource({ type: 'http' })] },
}
