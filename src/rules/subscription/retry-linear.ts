import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { countRetries, scheduleWithTries } from '../shared/retry-schedule.ts'

export const retryLinear = resourceRule('subscription', {
  id: 'subscription/retry-linear',
  title: 'Declared retries are too aggressive',
  severity: 'medium',
  packs: ['delivery'],
  options: z.strictObject({
    max_tries: z.int().positive().default(10).describe('Highest number of retries at a constant interval'),
    min_interval_seconds: z.number().positive().default(5).describe('Shortest constant interval, in seconds'),
  }),
  check({ attributes }, { options }) {
    const schedule = scheduleWithTries(attributes.retry_config)
    if (schedule?.type !== 'linear') return
    const { tries, intervalSeconds } = schedule
    const bounds = [
      ...(tries > options.max_tries ? [`at most ${options.max_tries}`] : []),
      ...(intervalSeconds < options.min_interval_seconds ? [`at least ${options.min_interval_seconds} s apart`] : []),
    ]
    if (bounds.length === 0) return undefined
    return {
      path: '/retry_config',
      message: `${countRetries(tries, 'declared')}, one every ${intervalSeconds} s (policy: ${bounds.join(', ')})`,
    }
  },
})
