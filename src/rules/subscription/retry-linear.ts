import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { scheduleWithTries } from '../shared/retry-schedule.ts'

export const retryLinear = resourceRule('subscription', {
  id: 'subscription/retry-linear',
  title: 'Declared retries hammer a failing receiver',
  severity: 'medium',
  packs: ['delivery'],
  options: z.strictObject({
    max_tries: z.int().positive().default(10).describe('Most tries at a constant interval'),
    min_interval_seconds: z.number().positive().default(5).describe('Shortest constant interval, in seconds'),
  }),
  check({ attributes }, { options }) {
    const schedule = scheduleWithTries(attributes.retry_config)
    if (schedule?.type !== 'linear') return
    if (schedule.tries > options.max_tries || schedule.intervalSeconds < options.min_interval_seconds) {
      return {
        path: '/retry_config',
        message: `declared ${schedule.tries} tries, one every ${schedule.intervalSeconds} s: hammers a receiver that fails`,
      }
    }
    return undefined
  },
})
