import { anEndpoint, aSubscription, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds a subscription without an endpoint': {
    sees: [aSubscription({ type: 'api', endpoint_uid: null })],
    finds: [
      'high s1/endpoint_uid: no endpoint: matching events are not delivered; from v26.7.3 on they fail for every subscription',
    ],
  },
  'finds it even where endpoints were not seen': {
    sees: [aSubscription({ type: 'api', endpoint_uid: null })],
    unseen: ['endpoint'],
    finds: [
      'high s1/endpoint_uid: no endpoint: matching events are not delivered; from v26.7.3 on they fail for every subscription',
    ],
  },
  'finds one whose endpoint is not in the project': {
    sees: [anEndpoint({}), aSubscription({ type: 'api', endpoint_uid: 'e9' })],
    finds: ['high s1/endpoint_uid: endpoint e9 does not exist in the project'],
  },
  'does not search for it in another project': {
    sees: [anEndpoint({}, 'e9', 'other'), aSubscription({ type: 'api', endpoint_uid: 'e9' })],
    finds: ['high s1/endpoint_uid: endpoint e9 does not exist in the project'],
  },
  'is silent where endpoints were not all seen': {
    sees: [anEndpoint({}), aSubscription({ type: 'api', endpoint_uid: 'e9' })],
    unseen: ['endpoint'],
  },
  'leaves a subscription with its endpoint alone': {
    sees: [anEndpoint({}), aSubscription({ type: 'api', endpoint_uid: 'e1' })],
  },
  'does not evaluate a command-line device': {
    sees: [aSubscription({ type: 'cli', endpoint_uid: null, device_uid: 'd1' })],
  },
  'evaluates the command line without a device': {
    sees: [aSubscription({ type: 'cli', endpoint_uid: null, device_uid: null })],
    finds: [
      'high s1/endpoint_uid: no endpoint: matching events are not delivered; from v26.7.3 on they fail for every subscription',
    ],
  },
}
