import { resourceRule } from '../engine/define-rule.ts'

export const queueStaticKeys = resourceRule('source', {
  id: 'source/queue-static-keys',
  title: 'Source uses a cloud key that never expires',
  severity: 'medium',
  packs: ['secrets'],
  *check({ attributes: { pub_sub: queue }, facts }) {
    const isTemporary = facts['/pub_sub/sqs/access_key_id']?.temporary === true
    if (queue?.type === 'sqs' && queue.sqs?.secret_key !== undefined && !isTemporary) {
      yield {
        path: '/pub_sub/sqs/secret_key',
        message: 'reads SQS with an access key, which stays valid until it is revoked',
      }
    }
    if (queue?.type === 'google' && queue.google?.service_account !== undefined) {
      yield {
        path: '/pub_sub/google/service_account',
        message: 'reads Pub/Sub with a service account key, which stays valid until it is revoked',
      }
    }
  },
})
