import { aSubscription, type Cases } from '../rule-cases.ts'

const schedule = (type: string, duration: number, retry_count: number) =>
  aSubscription({ retry_config: { type, duration, retry_count } })

export const cases: Cases = {
  'finds a linear schedule under an hour': {
    sees: [schedule('linear', 100, 10)],
    finds: ['medium s1/retry_config: declared retries end after 16.7 min (policy: at least 60 min)'],
  },
  'doubles an exponential one': {
    sees: [schedule('exponential', 60, 5)],
    finds: ['medium s1/retry_config: declared retries end after 31 min (policy: at least 60 min)'],
  },
  'measures by its option': {
    sees: [schedule('linear', 60, 60)],
    options: { min_seconds: 7200 },
    finds: ['medium s1/retry_config: declared retries end after 60 min (policy: at least 2 h)'],
  },
  'leaves an hour alone': { sees: [schedule('linear', 60, 60)] },
  'leaves none at all to another rule': { sees: [schedule('linear', 1, 0)] },
  'is silent where the type is not shown': { sees: [aSubscription({ retry_config: { duration: 1, retry_count: 1 } })] },
}
