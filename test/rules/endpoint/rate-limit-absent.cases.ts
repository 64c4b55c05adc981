import { type Cases, endpoints } from '../rule-cases.ts'

const finding = 'no rate limit: a burst of events is delivered as fast as the gateway can send it'

export const cases: Cases = {
  'finds an endpoint without a limit': {
    sees: endpoints({ rate_limit: 0, rate_limit_duration: 60 }, { rate_limit: null, rate_limit_duration: 0 }),
    finds: [`info e1/rate_limit: ${finding}`, `info e2/rate_limit: ${finding}`],
  },
  'leaves a limit alone, and one without a duration to another rule': {
    sees: endpoints({ rate_limit: 50, rate_limit_duration: 60 }, { rate_limit: 50, rate_limit_duration: 0 }),
  },
  'is silent where the limit is not shown': { sees: endpoints({}, { rate_limit_duration: 0 }) },
}
