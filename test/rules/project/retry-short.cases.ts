import { aProject, type Cases } from '../rule-cases.ts'

const schedule = (type: string, duration: number, retry_count: number) =>
  aProject({ config: { strategy: { type, duration, retry_count } } })

export const cases: Cases = {
  "finds the service's default": {
    sees: [schedule('linear', 100, 10)],
    finds: ['info p/config/strategy: last retry after 16.7 min (policy: at least 60 min)'],
  },
  'measures by its option': {
    sees: [schedule('exponential', 60, 6)],
    options: { min_seconds: 7200 },
    finds: ['info p/config/strategy: last retry after 63 min (policy: at least 2 h)'],
  },
  'leaves an hour alone': { sees: [schedule('linear', 60, 60)] },
  'leaves none at all to another rule': { sees: [schedule('linear', 1, 0)] },
  'is silent where the strategy is not shown': { sees: [aProject({ config: null })] },
}
