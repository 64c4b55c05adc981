import { resourceRule } from '../engine/define-rule.ts'

export const unverified = resourceRule('source', {
  id: 'source/unverified',
  title: 'Source accepts events from anyone who knows its URL',
  severity: 'critical',
  packs: ['standard-webhooks', 'secrets'],
  *check({ attributes: { type, verifier } }) {
    if (verifier === undefined || (verifier?.type ?? 'noop') !== 'noop') return
    if (type === 'http') {
      yield { path: '/verifier', message: 'no verification: anyone who knows the URL can inject events' }
    } else if (type === 'pub_sub') {
      yield {
        path: '/verifier',
        message: 'no verification: everyone who can write to the queue is trusted',
        severity: 'info',
      }
    }
  },
})
