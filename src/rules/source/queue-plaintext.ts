import type { Queue } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'
import type { RuleFinding } from '../engine/rule.ts'

export const queuePlaintext = resourceRule('source', {
  id: 'source/queue-plaintext',
  title: 'Source reads its queue unencrypted or unauthenticated',
  severity: 'high',
  packs: ['tls', 'secrets'],
  acceptedWith: ['/pub_sub'],
  *check({ attributes: { pub_sub: queue } }) {
    // Empty members are left out of a queue that is shown.
    if (queue?.type === 'kafka' && queue.kafka !== undefined) yield* kafkaProblems(queue.kafka)
    if (queue?.type === 'sqs' && queue.sqs?.endpoint !== undefined && !/^https:/i.test(queue.sqs.endpoint)) {
      yield {
        path: '/pub_sub/sqs/endpoint',
        message: `reads SQS without TLS: the endpoint is \`${queue.sqs.endpoint}\``,
      }
    }
    if (queue?.type === 'amqp' && queue.amqp !== undefined) yield* amqpProblems(queue.amqp)
  },
})

function* kafkaProblems({ auth }: NonNullable<Queue['kafka']>): Iterable<RuleFinding> {
  const type = auth?.type ?? ''
  if (auth !== undefined && type !== 'plain' && type !== 'scram') {
    const message = `the service does not know the authentication type \`${type}\`: nothing is read`
    yield { path: '/pub_sub/kafka/auth/type', message }
    return
  }
  const lacks = [...(auth?.tls === true ? [] : ['TLS']), ...(auth === undefined ? ['authentication'] : [])]
  if (lacks.length > 0) yield { path: '/pub_sub/kafka/auth', message: `reads Kafka without ${lacks.join(' or ')}` }
}

function* amqpProblems({ schema, auth }: NonNullable<Queue['amqp']>): Iterable<RuleFinding> {
  if (schema?.toLowerCase() === 'amqp') {
    yield { path: '/pub_sub/amqp/schema', message: 'reads AMQP without TLS: the scheme is `amqp`' }
  }
  const user = auth?.user
  if (user === undefined || user === 'guest') {
    yield {
      path: '/pub_sub/amqp/auth',
      message: `reads AMQP ${user === undefined ? 'without a user name' : 'as `guest`'}`,
    }
  }
}
