import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { formatSeconds, retryScheduleOf } from '../shared/retry-schedule.ts'

export const retryLong = resourceRule('subscription', {
  id: 'subscription/retry-long',
  title: 'Declared retries go on for long',
  severity: 'low',
  packs: ['delivery'],
  options: z.strictObject({
    max_seconds: z.number().positive().default(604_800).describe('Longest span of the whole schedule, in seconds'),
  }),
  check({ attributes }, { options }) {
    const schedule = retryScheduleOf(attributes.retry_config)
    if (schedule === undefined || schedule.tries === 0) return
    if (schedule.spanSeconds > options.max_seconds) {
      return {
        path: '/retry_config',
        message: `declared retries go on for ${formatSeconds(schedule.spanSeconds)}, the policy allows ${formatSeconds(options.max_seconds)}`,
      }
    }
    return undefined
  },
})
