import { aProbe, type Cases } from '../rule-cases.ts'

const body = { function: 'body', target_kind: 'source', target_uid: 'q1', target_name: 'orders' }

export const cases: Cases = {
  'names the source whose function fails, and quotes the error': {
    sees: [aProbe({ ...body, outcome: 'failed', error: 'Error: boom' })],
    finds: ['high orders/outcome: the body function of orders (q1) fails: Error: boom'],
  },
  'quotes an error that differs each time': {
    sees: [
      {
        ...aProbe({ outcome: 'failed', error: null, function: 'subscription', target_uid: 's1' }),
        volatile: { error: 'Error: 0.7' },
      },
    ],
    finds: ['high orders/outcome: the function of s1 fails: Error: 0.7'],
  },
  'leaves a probe alone that runs, with any result': {
    sees: [aProbe({ ...body, outcome: 'ok', output: null }), aProbe({ ...body, outcome: 'ok', unexpected: 'other' })],
  },
}
