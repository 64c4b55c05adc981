import { aProject, type Cases } from '../rule-cases.ts'

const schedule = (type: string, duration: number, retry_count: number) =>
  aProject({ config: { strategy: { type, duration, retry_count } } })

export const cases: Cases = {
  "finds the service's default": {
    sees: [schedule('linear', 100, 10)],
    finds: ['info p/config/strategy: last retry after 15 min (policy: at least 60 min)'],
  },
  'counts the first attempt as none of the retries': {
    sees: [schedule('exponential', 3600, 3), schedule('linear', 1, 1), schedule('linear', 1, 0)],
    finds: [
      'medium p/config/strategy: 2 retries (policy: at least 3 retries)',
      'medium p/config/strategy: the first attempt is the only one (policy: at least 3 retries)',
      'medium p/config/strategy: the first attempt is the only one (policy: at least 3 retries)',
    ],
  },
  'measures by its options': {
    sees: [schedule('exponential', 60, 6), schedule('linear', 3600, 6)],
    options: { min_seconds: 7200, min_retries: 6 },
    finds: [
      'medium p/config/strategy: 5 retries (policy: at least 6 retries)',
      'medium p/config/strategy: 5 retries (policy: at least 6 retries)',
    ],
  },
  'knows that no delay is above two hours': {
    sees: [schedule('exponential', 60, 12)],
    options: { min_seconds: 90_000 },
    finds: ['info p/config/strategy: last retry after 10.1 h (policy: at least 25 h)'],
  },
  'leaves an hour alone': { sees: [schedule('linear', 60, 61)] },
  'is silent where the strategy is not shown': { sees: [aProject({ config: null })] },
}
