import { resourceRule } from '../engine/define-rule.ts'

export const idempotencyMissing = resourceRule('source', {
  id: 'source/idempotency-missing',
  title: 'Source cannot recognise a repeated event',
  severity: 'low',
  packs: ['delivery'],
  check({ attributes: { type, idempotency_keys: keys } }) {
    if (type !== 'http' || keys === undefined || (keys?.length ?? 0) > 0) return
    return {
      path: '/idempotency_keys',
      message: 'no idempotency keys: an event that its sender repeats is delivered twice',
    }
  },
})
