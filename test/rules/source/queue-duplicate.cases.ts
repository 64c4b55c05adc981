import type { JsonObject } from '../../../src/model/json.ts'
import { aSource, type Cases } from '../rule-cases.ts'

const queue = (uid: string, type: string, members: JsonObject, workers = 1) =>
  aSource({ type: 'pub_sub', pub_sub: { type, workers, [type]: members } }, uid)
const amqp = { schema: 'amqps', host: 'mq.example', port: '5671', queue: 'events', vhost: '/a' }
const sqs = { access_key_id: 'sealed:0', secret_key: 'sealed:1', default_region: 'eu-west-1', queue_name: 'events' }
const both = ['q1', 'q2'].map(
  (uid, at) => `medium ${uid}/pub_sub: same queue settings as q${2 - at}: only one of them runs`,
)

export const cases: Cases = {
  'finds sources with the same settings': { sees: [queue('q1', 'sqs', sqs), queue('q2', 'sqs', sqs)], finds: both },
  'finds sources that differ only in what the service does not compare': {
    sees: [queue('q1', 'amqp', amqp), queue('q2', 'amqp', { ...amqp, port: '5672', vhost: '/b' })],
    finds: both,
  },
  'leaves other settings, workers and projects alone': {
    sees: [
      queue('q1', 'amqp', amqp),
      queue('q2', 'amqp', { ...amqp, queue: 'other' }),
      queue('q3', 'amqp', amqp, 2),
      { ...queue('q4', 'amqp', amqp), project: 'other' },
      queue('q5', 'sqs', sqs),
      queue('q6', 'sqs', { ...sqs, secret_key: 'sealed:2' }),
    ],
  },
  'never compares what is masked': {
    sees: ['q1', 'q2'].map((uid) => queue(uid, 'sqs', { ...sqs, secret_key: 'sealed:masked' })),
  },
  'leaves sources without a queue alone': {
    sees: ['q1', 'q2'].flatMap((uid) => [
      aSource({ type: 'http' }, uid),
      aSource({ type: 'pub_sub', pub_sub: null }, uid),
    ]),
  },
}
