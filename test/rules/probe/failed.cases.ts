import { aProbe, type Cases } from '../rule-cases.ts'

const body = { function: 'body', target_kind: 'source', target_uid: 'q1', target_name: 'orders' }

export const cases: Cases = {
  'tells whose function fails, and with which words': {
    sees: [aProbe({ ...body, outcome: 'failed', error: 'Error: boom' })],
    finds: ['high orders/outcome: the body function of orders (q1) fails: Error: boom'],
  },
  'tells the words of a failure that differs each time': {
    sees: [
      {
        ...aProbe({ outcome: 'failed', error: null, function: 'subscription', target_uid: 's1' }),
        volatile: { error: 'Error: 0.7' },
      },
    ],
    finds: ['high orders/outcome: the function of s1 fails: Error: 0.7'],
  },
  'leaves one that runs alone, whatever comes of it': {
    sees: [aProbe({ ...body, outcome: 'ok', output: null }), aProbe({ ...body, outcome: 'ok', unexpected: 'other' })],
    finds: [],
  },
}
