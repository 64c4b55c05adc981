import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'

export const rateLimitLow = resourceRule('endpoint', {
  id: 'endpoint/rate-limit-low',
  title: 'Rate limit is so low that events pile up',
  severity: 'medium',
  packs: ['delivery'],
  options: z.strictObject({
    min_per_minute: z.number().positive().default(1).describe('Deliveries a minute that must be possible'),
  }),
  check({ attributes: { rate_limit: limit, rate_limit_duration: seconds } }, { options }) {
    if (typeof limit !== 'number' || typeof seconds !== 'number' || limit <= 0 || seconds <= 0) return
    if ((limit * 60) / seconds < options.min_per_minute) {
      return {
        path: '/rate_limit',
        message: `${limit} per ${seconds} s, the policy asks for ${options.min_per_minute} a minute`,
      }
    }
    return undefined
  },
})
