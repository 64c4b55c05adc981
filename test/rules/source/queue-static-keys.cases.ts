import { aSource, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds an access key': {
    sees: [aSource({ pub_sub: { type: 'sqs', sqs: { access_key_id: 'sealed:0', secret_key: 'sealed:1' } } })],
    finds: ['low q1/pub_sub/sqs/secret_key: reads SQS with an access key, which stays valid until it is revoked'],
  },
  'finds a service account key': {
    sees: [aSource({ pub_sub: { type: 'google', google: { service_account: 'sealed:0' } } })],
    finds: [
      'low q1/pub_sub/google/service_account: reads Pub/Sub with a service account key, which stays valid until it is revoked',
    ],
  },
  'finds a key of the token service, which needs more than the service keeps': {
    sees: [aSource({ pub_sub: { type: 'sqs', sqs: { access_key_id: 'sealed:0', secret_key: 'sealed:1' } } })],
    facts: { '/pub_sub/sqs/access_key_id': { min_length: 16, weak: [], temporary: true } },
    finds: [
      'high q1/pub_sub/sqs/access_key_id: temporary access key (`ASIA…`) without its session token: SQS refuses it, nothing is read',
    ],
  },
  'leaves a queue without one alone': {
    sees: [
      aSource({ pub_sub: { type: 'sqs', sqs: { queue_name: 'events' } } }),
      aSource({ pub_sub: { type: 'google', google: { project_id: 'p' } } }),
      aSource({ pub_sub: { type: 'kafka', kafka: { auth: { password: 'sealed:0' } } } }),
    ],
  },
  'leaves a key that another type left behind alone': {
    sees: [aSource({ pub_sub: { type: 'kafka', sqs: { secret_key: 'sealed:1' } } })],
  },
  'is silent where the queue is not shown': { sees: [aSource({ pub_sub: null }), aSource({})] },
}
