import { resourceRule } from '../engine/define-rule.ts'

export const deadLetterMissing = resourceRule('source', {
  id: 'source/dead-letter-missing',
  title: 'Messages that a source rejects are lost',
  severity: 'low',
  packs: ['delivery'],
  check({ attributes: { pub_sub: queue } }) {
    // Empty members are left out of a queue that is shown.
    if (queue?.type === 'amqp' && queue.amqp !== undefined && queue.amqp.deadLetterExchange === undefined) {
      return {
        path: '/pub_sub/amqp/deadLetterExchange',
        message: 'no dead-letter exchange: a message that cannot be taken in leaves no trace',
      }
    }
    return undefined
  },
})
