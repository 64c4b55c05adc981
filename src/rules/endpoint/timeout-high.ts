import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'

export const timeoutHigh = resourceRule('endpoint', {
  id: 'endpoint/timeout-high',
  title: 'Endpoint may hold a delivery worker for too long',
  severity: 'medium',
  packs: ['delivery'],
  options: z.strictObject({
    max_seconds: z.number().positive().default(60).describe('Seconds that an endpoint may be given'),
  }),
  check({ attributes: { http_timeout: seconds } }, { options }) {
    if (typeof seconds === 'number' && seconds > options.max_seconds) {
      return {
        path: '/http_timeout',
        message: `times out after ${seconds} s, the policy allows ${options.max_seconds} s`,
      }
    }
    return undefined
  },
})
