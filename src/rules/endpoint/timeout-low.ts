import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'

export const timeoutLow = resourceRule('endpoint', {
  id: 'endpoint/timeout-low',
  title: 'Endpoint has too little time to answer',
  severity: 'low',
  packs: ['delivery'],
  options: z.strictObject({
    min_seconds: z.number().positive().default(5).describe('Seconds that an endpoint must be given'),
  }),
  check({ attributes: { http_timeout: seconds } }, { options }) {
    // 0 means the service's own default.
    if (typeof seconds === 'number' && seconds > 0 && seconds < options.min_seconds) {
      return {
        path: '/http_timeout',
        message: `times out after ${seconds} s, the policy asks for ${options.min_seconds} s`,
      }
    }
    return undefined
  },
})
