import type { JsonObject } from '../../../src/model/json.ts'
import { aProject, type Cases } from '../rule-cases.ts'

const configured = (config: JsonObject) => aProject({ config })

export const cases: Cases = {
  'finds what has no effect': {
    sees: [configured({ replay_attacks_prevention_enabled: true, ratelimit: { count: 10, duration: 60 } })],
    finds: [
      'info p/config/replay_attacks_prevention_enabled: has no effect: endpoints with advanced signatures sign a time',
      'info p/config/ratelimit: has no effect: the rate limits of endpoints apply',
    ],
  },
  'leaves alone what the service fills in, and what says nothing': {
    sees: [
      configured({ replay_attacks_prevention_enabled: false, ratelimit: { count: 1000, duration: 60 } }),
      configured({ replay_attacks_prevention_enabled: null, ratelimit: { count: 0, duration: 0 } }),
      configured({ ratelimit: null }),
    ],
  },
  'is silent where it is not shown': { sees: [configured({})] },
}
