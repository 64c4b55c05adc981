import { resourceRule } from '../engine/define-rule.ts'

export const rateLimitIneffective = resourceRule('project', {
  id: 'project/rate-limit-ineffective',
  title: "The project's rate limit limits nothing",
  severity: 'medium',
  packs: ['delivery'],
  check({ attributes }) {
    const { count, duration } = attributes.config?.ratelimit ?? {}
    if (typeof count !== 'number' || typeof duration !== 'number') return
    if (count === 0 || duration === 0) {
      return { path: '/config/ratelimit', message: `limit of ${count} per ${duration} s: nothing is limited` }
    }
    return undefined
  },
})
