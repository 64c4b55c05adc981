import { aSubscription, type Cases } from '../rule-cases.ts'

const absent = "info s1/retry_config: no retries declared: the project's strategy applies"

export const cases: Cases = {
  'finds a subscription that declares none': { sees: [aSubscription({ retry_config: null })], finds: [absent] },
  'finds one that declares zero': {
    sees: [aSubscription({ retry_config: { type: 'linear', duration: 10, retry_count: 0 } })],
    finds: [absent],
  },
  'leaves one that declares some alone': {
    sees: [aSubscription({ retry_config: { type: 'linear', duration: 10, retry_count: 1 } })],
  },
}
