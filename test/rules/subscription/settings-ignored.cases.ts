import { aSubscription, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds what has no effect': {
    sees: [
      aSubscription({
        retry_config: { type: 'exponential', duration: 60, retry_count: 8 },
        rate_limit_config: { count: 5, duration: 60 },
        alert_config: { count: 2, threshold: '1h' },
      }),
    ],
    finds: [
      'info s1/alert_config: has no effect: no alert is ever sent for it',
      'info s1/rate_limit_config: has no effect: the rate limit of the endpoint applies',
      "info s1/retry_config: has no effect: the project's strategy applies",
    ],
  },
  'leaves alone what the service fills in for a dynamic event': {
    sees: [
      aSubscription({
        retry_config: { type: 'linear', duration: 10, retry_count: 3 },
        rate_limit_config: { count: 1000, duration: 60 },
        alert_config: { count: 4, threshold: '1h' },
      }),
    ],
  },
  'leaves alone what says nothing': {
    sees: [aSubscription({ retry_config: null, rate_limit_config: { count: 0, duration: 0 }, alert_config: null })],
  },
}
