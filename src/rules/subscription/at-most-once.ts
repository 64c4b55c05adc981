import { resourceRule } from '../engine/define-rule.ts'

export const atMostOnce = resourceRule('subscription', {
  id: 'subscription/at-most-once',
  title: 'A crash loses the event',
  severity: 'medium',
  packs: ['delivery'],
  check({ attributes }) {
    if (attributes.delivery_mode === 'at_most_once') {
      return { path: '/delivery_mode', message: 'delivers at most once: an event is lost when its delivery breaks off' }
    }
    return undefined
  },
})
