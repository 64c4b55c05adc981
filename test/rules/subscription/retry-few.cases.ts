import { aSubscription, type Cases } from '../rule-cases.ts'

const tries = (retry_count: number) =>
  aSubscription({ retry_config: { type: 'exponential', duration: 3600, retry_count } })

export const cases: Cases = {
  'finds two tries': {
    sees: [tries(2)],
    finds: ['medium s1/retry_config/retry_count: 2 declared retries (policy: at least 3)'],
  },
  'measures by its option': {
    sees: [tries(4)],
    options: { min_tries: 5 },
    finds: ['medium s1/retry_config/retry_count: 4 declared retries (policy: at least 5)'],
  },
  'leaves three alone': { sees: [tries(3)] },
  'leaves none at all to another rule': { sees: [tries(0)] },
  'is silent where none are declared': { sees: [aSubscription({ retry_config: null })] },
}
