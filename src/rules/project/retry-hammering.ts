import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { retryScheduleOf } from '../shared/retry-schedule.ts'

export const retryHammering = resourceRule('project', {
  id: 'project/retry-hammering',
  title: "The project's retries hammer failing receivers",
  severity: 'medium',
  packs: ['delivery'],
  options: z.strictObject({
    min_interval_seconds: z.number().positive().default(10).describe('Shortest constant interval, in seconds'),
    max_tries_below: z.int().positive().default(5).describe('Most tries at a shorter interval'),
    max_tries: z.int().positive().default(50).describe('Most tries of any kind'),
  }),
  check({ attributes }, { options }) {
    const schedule = retryScheduleOf(attributes.config?.strategy)
    if (schedule === undefined) return
    const { type, tries, intervalSeconds } = schedule
    const isDense =
      type === 'linear' && intervalSeconds < options.min_interval_seconds && tries > options.max_tries_below
    if (isDense || tries > options.max_tries) {
      const pace = type === 'linear' ? `one every ${intervalSeconds} s` : `${type} from ${intervalSeconds} s`
      return { path: '/config/strategy', message: `${tries} tries, ${pace}, for every endpoint of the project` }
    }
    return undefined
  },
})
