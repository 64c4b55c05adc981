import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { retryScheduleOf } from '../shared/retry-schedule.ts'

export const retryFew = resourceRule('subscription', {
  id: 'subscription/retry-few',
  title: 'Declared retries are few',
  severity: 'medium',
  packs: ['delivery'],
  options: z.strictObject({
    min_tries: z.int().positive().default(3).describe('Fewest tries that are enough'),
  }),
  check({ attributes }, { options }) {
    const schedule = retryScheduleOf(attributes.retry_config)
    if (schedule === undefined || schedule.tries === 0) return
    if (schedule.tries < options.min_tries) {
      return {
        path: '/retry_config/retry_count',
        message: `declared ${schedule.tries} tries, the policy asks for ${options.min_tries}`,
      }
    }
    return undefined
  },
})
