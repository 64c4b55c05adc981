import { aSubscription, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds at_most_once': {
    sees: [aSubscription({ delivery_mode: 'at_most_once' })],
    finds: [
      'medium s1/delivery_mode: delivers at most once: nothing is retried after an answer of the receiver, even an error',
    ],
  },
  'leaves other modes alone': {
    sees: ['at_least_once', 'something-new', null].map((delivery_mode) => aSubscription({ delivery_mode })),
  },
}
