import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { formatSeconds, retryScheduleOf } from '../shared/retry-schedule.ts'

export const retryShort = resourceRule('project', {
  id: 'project/retry-short',
  title: "The project's retries give up soon",
  severity: 'info',
  packs: ['delivery'],
  options: z.strictObject({
    min_seconds: z.number().positive().default(3600).describe('Shortest span of the whole schedule, in seconds'),
  }),
  check({ attributes }, { options }) {
    const schedule = retryScheduleOf(attributes.config?.strategy)
    // Without any try there is no schedule: project/retry-few says so.
    if (schedule === undefined || schedule.tries === 0) return
    if (schedule.spanSeconds < options.min_seconds) {
      return {
        path: '/config/strategy',
        message: `the last try comes after ${formatSeconds(schedule.spanSeconds)}, the policy asks for ${formatSeconds(options.min_seconds)}`,
      }
    }
    return undefined
  },
})
