import { aSubscription, type Cases } from '../rule-cases.ts'

const tries = (retry_count: number) =>
  aSubscription({ retry_config: { type: 'exponential', duration: 1, retry_count } })

export const cases: Cases = {
  'finds more than fifty': {
    sees: [tries(51)],
    finds: ['medium s1/retry_config/retry_count: 51 declared retries (policy: at most 50)'],
  },
  'measures by its option': {
    sees: [tries(3)],
    options: { max_tries: 2 },
    finds: ['medium s1/retry_config/retry_count: 3 declared retries (policy: at most 2)'],
  },
  'leaves fifty alone': { sees: [tries(50)] },
  'is silent where none are declared': { sees: [aSubscription({ retry_config: null })] },
}
