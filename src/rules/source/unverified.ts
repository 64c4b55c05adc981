import { resourceRule } from '../engine/define-rule.ts'

export const unverified = resourceRule('source', {
  id: 'source/unverified',
  title: 'Source accepts events from anyone who knows its address',
  severity: 'critical',
  packs: ['standard-webhooks', 'secrets'],
  *check({ attributes: { type, verifier } }) {
    if (verifier === undefined || (verifier?.type ?? 'noop') !== 'noop') return
    if (type === 'http') {
      yield { path: '/verifier', message: 'verifies nothing: anyone who knows its address can inject events' }
    } else if (type === 'pub_sub') {
      yield {
        path: '/verifier',
        message: 'verifies nothing: every writer to its queue is trusted',
        severity: 'info',
      }
    }
  },
})
