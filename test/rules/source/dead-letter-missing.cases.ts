import { aSource, type Cases } from '../rule-cases.ts'

const amqp = (members: { deadLetterExchange?: string }) =>
  aSource({ pub_sub: { type: 'amqp', amqp: { queue: 'events', ...members } } })

export const cases: Cases = {
  'finds AMQP without one': {
    sees: [amqp({})],
    finds: [
      'low q1/pub_sub/amqp/deadLetterExchange: no dead-letter exchange: rejected messages are lost without a trace',
    ],
  },
  'leaves AMQP with one alone': { sees: [amqp({ deadLetterExchange: 'dead' })] },
  'leaves other queues alone': { sees: [aSource({ pub_sub: { type: 'sqs', sqs: { queue_name: 'q' } } })] },
  'is silent where the queue is not shown': { sees: [aSource({ pub_sub: { type: 'amqp' } }), aSource({})] },
}
