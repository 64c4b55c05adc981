import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'
import { retryScheduleOf } from '../shared/retry-schedule.ts'

export const retryFew = resourceRule('project', {
  id: 'project/retry-few',
  title: 'The project retries a failed delivery few times',
  severity: 'medium',
  packs: ['delivery'],
  options: z.strictObject({
    min_tries: z.int().positive().default(3).describe('Fewest tries that are enough'),
  }),
  check({ attributes }, { options }) {
    const tries = retryScheduleOf(attributes.config?.strategy)?.tries
    if (tries !== undefined && tries < options.min_tries) {
      return {
        path: '/config/strategy/retry_count',
        message: `${tries} tries for every endpoint of the project, the policy asks for ${options.min_tries}`,
      }
    }
    return undefined
  },
})
