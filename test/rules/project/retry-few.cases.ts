import { aProject, type Cases } from '../rule-cases.ts'

const tries = (retry_count: number) =>
  aProject({ config: { strategy: { type: 'exponential', duration: 3600, retry_count } } })

export const cases: Cases = {
  'finds two tries': {
    sees: [tries(2)],
    finds: ['medium p/config/strategy/retry_count: 2 retries (policy: at least 3)'],
  },
  'finds none at all': {
    sees: [tries(0)],
    finds: ['medium p/config/strategy/retry_count: 0 retries (policy: at least 3)'],
  },
  'measures by its option': {
    sees: [tries(4)],
    options: { min_tries: 5 },
    finds: ['medium p/config/strategy/retry_count: 4 retries (policy: at least 5)'],
  },
  'leaves three alone': { sees: [tries(3)] },
  'is silent where the strategy is not shown': { sees: [aProject({ config: {} })] },
}
