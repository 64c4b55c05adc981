import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { retryScheduleOf } from '../shared/retry-schedule.ts'

export const retryMany = resourceRule('subscription', {
  id: 'subscription/retry-many',
  title: 'Declared retries are many',
  severity: 'medium',
  packs: ['delivery'],
  options: z.strictObject({
    max_tries: z.int().positive().default(50).describe('Most tries that are allowed'),
  }),
  check({ attributes }, { options }) {
    const schedule = retryScheduleOf(attributes.retry_config)
    if (schedule === undefined || schedule.tries === 0) return
    if (schedule.tries > options.max_tries) {
      return {
        path: '/retry_config/retry_count',
        message: `declared ${schedule.tries} tries, the policy allows ${options.max_tries}`,
      }
    }
    return undefined
  },
})
