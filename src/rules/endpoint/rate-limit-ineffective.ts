import { resourceRule } from '../engine/define-rule.ts'

export const rateLimitIneffective = resourceRule('endpoint', {
  id: 'endpoint/rate-limit-ineffective',
  title: 'Rate limit has no effect',
  severity: 'high',
  packs: ['delivery'],
  acceptedWith: ['/rate_limit', '/rate_limit_duration'],
  *check({ attributes: { rate_limit: limit, rate_limit_duration: seconds } }) {
    if (typeof limit !== 'number' || typeof seconds !== 'number') return
    if (limit > 0 && seconds === 0) {
      yield { path: '/rate_limit_duration', message: `rate limit of ${limit} per 0 s limits nothing` }
    }
    if (limit === 0 && seconds > 0) {
      yield { path: '/rate_limit', message: `rate limit of 0 per ${seconds} s limits nothing` }
    }
  },
})
