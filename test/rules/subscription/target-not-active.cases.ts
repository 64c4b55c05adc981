import { anEndpoint, aSubscription, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'leaves an inactive endpoint to the rule about that, which reports it once': {
    sees: [anEndpoint({ status: 'inactive' }), aSubscription({ endpoint_uid: 'e1' })],
  },
  'finds one whose endpoint is paused, each of them': {
    sees: [
      anEndpoint({ status: 'paused' }),
      aSubscription({ endpoint_uid: 'e1' }, 's1'),
      aSubscription({ endpoint_uid: 'e1' }, 's2'),
    ],
    finds: [
      'high s1/endpoint_uid: the endpoint is paused: matching events are discarded, not queued',
      'high s2/endpoint_uid: the endpoint is paused: matching events are discarded, not queued',
    ],
  },
  'leaves an active endpoint alone': {
    sees: [anEndpoint({ status: 'active' }), aSubscription({ endpoint_uid: 'e1' })],
  },
  'leaves an endpoint of the same uid in another project out': {
    sees: [anEndpoint({ status: 'paused' }, 'e1', 'other'), aSubscription({ endpoint_uid: 'e1' })],
  },
  'is silent about an endpoint that was not seen': { sees: [aSubscription({ endpoint_uid: 'e1' })] },
  'is silent where there is no endpoint': {
    sees: [anEndpoint({ status: 'paused' }), aSubscription({ endpoint_uid: null })],
  },
}
