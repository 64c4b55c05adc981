import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { formatSeconds, retryScheduleOf } from '../shared/retry-schedule.ts'

export const retryShort = resourceRule('subscription', {
  id: 'subscription/retry-short',
  title: 'Declared retries give up soon',
  severity: 'medium',
  packs: ['delivery'],
  options: z.strictObject({
    min_seconds: z.number().positive().default(3600).describe('Shortest span of the whole schedule, in seconds'),
  }),
  check({ attributes }, { options }) {
    const schedule = retryScheduleOf(attributes.retry_config)
    if (schedule === undefined || schedule.tries === 0) return
    if (schedule.spanSeconds < options.min_seconds) {
      return {
        path: '/retry_config',
        message: `declared retries end after ${formatSeconds(schedule.spanSeconds)}, the policy asks for ${formatSeconds(options.min_seconds)}`,
      }
    }
    return undefined
  },
})
