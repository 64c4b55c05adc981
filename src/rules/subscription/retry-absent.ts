import { resourceRule } from '../engine/define-rule.ts'

export const retryAbsent = resourceRule('subscription', {
  id: 'subscription/retry-absent',
  title: 'Subscription declares no retries',
  severity: 'info',
  packs: ['delivery'],
  check({ attributes: { retry_config: config } }) {
    if (config === undefined) return
    if (config === null || config.retry_count === 0) {
      return { path: '/retry_config', message: "no retries declared: the project's strategy decides" }
    }
    return undefined
  },
})
