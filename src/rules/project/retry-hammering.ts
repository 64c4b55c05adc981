import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { retryScheduleOf } from '../shared/retry-schedule.ts'

export const retryHammering = resourceRule('project', {
  id: 'project/retry-hammering',
  title: 'Project retries are too aggressive',
  severity: 'medium',
  packs: ['delivery'],
  options: z.strictObject({
    min_interval_seconds: z
      .number()
      .positive()
      .default(10)
      .describe('Constant interval under which only a few retries are allowed, in seconds'),
    max_tries_below: z.int().positive().default(5).describe('Highest number of retries at a shorter interval'),
    max_tries: z.int().positive().default(50).describe('Highest number of retries at any interval'),
  }),
  check({ attributes }, { options }) {
    const schedule = retryScheduleOf(attributes.config?.strategy)
    if (schedule === undefined) return
    const { type, tries, intervalSeconds } = schedule
    const isDense =
      type === 'linear' && intervalSeconds < options.min_interval_seconds && tries > options.max_tries_below
    if (isDense || tries > options.max_tries) {
      const pace = type === 'linear' ? `one every ${intervalSeconds} s` : `${type} from ${intervalSeconds} s`
      const bound = isDense
        ? `${options.max_tries_below} at intervals under ${options.min_interval_seconds} s`
        : `${options.max_tries}`
      return { path: '/config/strategy', message: `${tries} retries, ${pace} (policy: at most ${bound})` }
    }
    return undefined
  },
})
