import { aSubscription, type Cases } from '../rule-cases.ts'

const schedule = (type: string, duration: number, retry_count: number) =>
  aSubscription({ retry_config: { type, duration, retry_count } })

export const cases: Cases = {
  'finds a linear schedule of more than seven days': {
    sees: [schedule('linear', 86_400, 8)],
    finds: ['low s1/retry_config: declared retries go on for 8 d (policy: at most 7 d)'],
  },
  'doubles an exponential one': {
    sees: [schedule('exponential', 60, 14)],
    finds: ['low s1/retry_config: declared retries go on for 11.4 d (policy: at most 7 d)'],
  },
  'measures by its option': {
    sees: [schedule('linear', 60, 2)],
    options: { max_seconds: 119 },
    finds: ['low s1/retry_config: declared retries go on for 2 min (policy: at most 119 s)'],
  },
  'handles an infinite duration': {
    sees: [schedule('exponential', 1, 5000)],
    finds: ['low s1/retry_config: declared retries go on for more than 100 years (policy: at most 7 d)'],
  },
  'leaves seven days alone': { sees: [schedule('linear', 86_400, 7)] },
  'leaves none at all to another rule': { sees: [schedule('linear', 9_999_999, 0)] },
}
