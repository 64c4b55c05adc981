import type { JsonObject } from '../../../src/model/json.ts'
import { anEndpoint, type Cases, type Seen } from '../rule-cases.ts'

const measured = (...all: readonly JsonObject[]): Seen[] =>
  all.map((volatile, index) => ({ ...anEndpoint({}, `e${index + 1}`), volatile }))

export const cases: Cases = {
  'finds that over 20 % fail, and is stricter over 50 %': {
    sees: measured({ failure_rate: 20.1 }, { failure_rate: 83.33333333333334 }),
    finds: [
      'medium e1: more than 20 % of deliveries fail (policy: at most 20 %)',
      'high e2: more than 50 % of deliveries fail (policy: at most 20 %)',
    ],
  },
  'finds an open circuit breaker': {
    sees: measured({ failure_rate: null, cb_state: 'open' }, { failure_rate: 60, cb_state: 'open' }),
    finds: [
      'medium e1: the circuit breaker is open',
      'high e2: more than 50 % of deliveries fail (policy: at most 20 %); the circuit breaker is open',
    ],
  },
  'reports the same while the rate moves on one side of a limit': {
    sees: measured({ failure_rate: 30 }, { failure_rate: 40 }),
    finds: [
      'medium e1: more than 20 % of deliveries fail (policy: at most 20 %)',
      'medium e2: more than 20 % of deliveries fail (policy: at most 20 %)',
    ],
  },
  'leaves a low rate and other states of the breaker alone': {
    sees: measured({ failure_rate: 20, cb_state: 'closed' }, { failure_rate: 0, cb_state: 'half-open' }),
  },
  'allows as much as the policy says': {
    sees: measured({ failure_rate: 60 }, { failure_rate: 80 }),
    options: { max_percent: 70 },
    finds: ['high e2: more than 70 % of deliveries fail (policy: at most 70 %)'],
  },
  'is silent where neither is shown': { sees: measured({}, { failure_rate: null, cb_state: null }) },
}
