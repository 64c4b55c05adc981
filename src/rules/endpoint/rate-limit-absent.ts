import { resourceRule } from '../engine/define-rule.ts'

export const rateLimitAbsent = resourceRule('endpoint', {
  id: 'endpoint/rate-limit-absent',
  title: 'Endpoint has no rate limit',
  severity: 'info',
  packs: ['delivery'],
  check({ attributes: { rate_limit: limit, rate_limit_duration: seconds } }) {
    if (isZero(limit) && isZero(seconds)) {
      return { path: '/rate_limit', message: 'no rate limit: a burst of events arrives as fast as it can be sent' }
    }
    return undefined
  },
})

function isZero(value: number | null | undefined): boolean {
  return value === 0 || value === null
}
