import { anEndpoint, type Cases, endpoints } from '../rule-cases.ts'

export const cases: Cases = {
  'finds a limit under one a minute': {
    sees: [anEndpoint({ rate_limit: 5, rate_limit_duration: 3600 })],
    finds: ['medium e1/rate_limit: rate limit is 5 per 3600 s (policy: at least 1 per minute)'],
  },
  'leaves one a minute alone, and no limit': {
    sees: endpoints(
      { rate_limit: 1, rate_limit_duration: 60 },
      { rate_limit: 0, rate_limit_duration: 60 },
      { rate_limit: 1, rate_limit_duration: 0 },
    ),
  },
  'asks for as many as the policy says': {
    sees: [anEndpoint({ rate_limit: 50, rate_limit_duration: 60 })],
    options: { min_per_minute: 100 },
    finds: ['medium e1/rate_limit: rate limit is 50 per 60 s (policy: at least 100 per minute)'],
  },
  'is silent where the limit or its duration is not shown': {
    sees: endpoints({ rate_limit: 1 }, { rate_limit_duration: 3600 }),
  },
}
