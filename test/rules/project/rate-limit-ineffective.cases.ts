import { aProject, type Cases } from '../rule-cases.ts'

const limit = (count: number, duration: number) => aProject({ config: { ratelimit: { count, duration } } })

export const cases: Cases = {
  'finds a duration of zero': {
    sees: [limit(1000, 0)],
    finds: ['medium p/config/ratelimit: rate limit of 1000 per 0 s limits nothing'],
  },
  'finds a count of zero': {
    sees: [limit(0, 60)],
    finds: ['medium p/config/ratelimit: rate limit of 0 per 60 s limits nothing'],
  },
  'leaves a limit alone': { sees: [limit(1000, 60)] },
  'is silent where one half is not shown': {
    sees: [aProject({ config: { ratelimit: { count: 0 } } }), aProject({ config: { ratelimit: null } })],
  },
}
