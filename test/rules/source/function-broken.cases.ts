import { aProbe, aSource, type Cases } from '../rule-cases.ts'

const run = (probe: string, outcome: string, more = {}) =>
  aProbe(
    {
      probe,
      outcome,
      error: outcome === 'failed' ? `Error: boom of ${probe}` : null,
      function: 'body',
      target_kind: 'source',
      target_uid: 'q1',
      target_name: 'orders',
      ...more,
    },
    probe,
  )

export const cases: Cases = {
  'finds the source whose body function fails': {
    sees: [run('first', 'failed')],
    finds: ['high q1/body_function: fails probe first: Error: boom of first'],
  },
  'is mild about http sources, whose functions never run': {
    sees: [run('first', 'failed'), aSource({ type: 'http' })],
    finds: [
      'info q1/body_function: fails probe first: Error: boom of first (the service runs no functions of http sources)',
    ],
  },
  'names the function, and each function of a source once': {
    sees: [run('b', 'failed'), run('a', 'failed'), run('h', 'failed', { function: 'header' })],
    finds: [
      'high q1/body_function: fails 2 probes (a, b): Error: boom of b',
      'high q1/header_function: fails probe h: Error: boom of h',
    ],
  },
  'leaves functions that run alone, and those of subscriptions': {
    sees: [
      run('good', 'ok', { unexpected: 'another result' }),
      run('s', 'failed', { target_kind: 'subscription', function: 'subscription' }),
    ],
  },
}
