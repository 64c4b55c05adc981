import type { JsonObject } from '../../../src/model/json.ts'
import { aSource, type Cases } from '../rule-cases.ts'

const queue = (type: string, members: JsonObject) =>
  aSource({ type: 'pub_sub', pub_sub: { type, workers: 1, [type]: members } })
const kafka = (auth?: JsonObject) => queue('kafka', { brokers: ['k.example:9093'], ...(auth && { auth }) })
const amqp = (members: JsonObject) => queue('amqp', { host: 'q.example', queue: 'events', ...members })
const account = { user: 'hooks', password: 'sealed:0' }

export const cases: Cases = {
  'finds Kafka without anything': {
    sees: [kafka()],
    finds: ['high q1/pub_sub/kafka/auth: reads Kafka without TLS or authentication'],
  },
  'finds Kafka without TLS': {
    sees: [kafka({ type: 'scram', username: 'hooks', password: 'sealed:0' }), kafka({ type: 'plain', tls: false })],
    finds: [
      'high q1/pub_sub/kafka/auth: reads Kafka without TLS',
      'high q1/pub_sub/kafka/auth: reads Kafka without TLS',
    ],
  },
  'finds Kafka with an authentication that the service does not know': {
    sees: [kafka({ tls: true }), kafka({ type: 'oauth', tls: true })],
    finds: [
      'high q1/pub_sub/kafka/auth/type: the service does not know the authentication type ``: nothing is read',
      'high q1/pub_sub/kafka/auth/type: the service does not know the authentication type `oauth`: nothing is read',
    ],
  },
  'finds SQS with an endpoint of its own, unless it says https': {
    sees: ['localstack:4566', 'http://sqs.example', 'https://sqs.example'].map((endpoint) =>
      queue('sqs', { queue_name: 'events', endpoint }),
    ),
    finds: [
      'high q1/pub_sub/sqs/endpoint: reads SQS without TLS: the endpoint is `localstack:4566`',
      'high q1/pub_sub/sqs/endpoint: reads SQS without TLS: the endpoint is `http://sqs.example`',
    ],
  },
  'finds AMQP without TLS': {
    sees: [amqp({ schema: 'amqp', auth: account })],
    finds: ['high q1/pub_sub/amqp/schema: reads AMQP without TLS: the scheme is `amqp`'],
  },
  'finds AMQP as guest, and without a user': {
    sees: [amqp({ schema: 'amqps', auth: { user: 'guest', password: 'sealed:0' } }), amqp({ schema: 'amqps' })],
    finds: [
      'high q1/pub_sub/amqp/auth: reads AMQP as `guest`',
      'high q1/pub_sub/amqp/auth: reads AMQP without a user name',
    ],
  },
  'leaves what is safe alone': {
    sees: [kafka({ type: 'scram', username: 'hooks', tls: true }), amqp({ schema: 'amqps', auth: account })],
  },
  'leaves settings that another type left behind alone': {
    sees: [aSource({ pub_sub: { type: 'sqs', amqp: { schema: 'amqp' }, kafka: { brokers: ['k.example:9092'] } } })],
  },
  'is silent where the queue is not shown': {
    sees: [aSource({ type: 'pub_sub' }), aSource({ type: 'pub_sub', pub_sub: null })],
  },
  'is silent where only its type is shown': { sees: [aSource({ pub_sub: { type: 'kafka' } })] },
}
