import { aSource, aSubscription, type Cases, changed } from '../rule-cases.ts'

export const cases: Cases = {
  'finds functions that changed, came and went': {
    compares: [
      changed(aSubscription({ function: 'return 1' }), { function: 'return payload' }),
      changed(aSource({ body_function: null, header_function: 'return 1' }), {
        body_function: 'return 1',
        header_function: null,
      }),
    ],
    finds: [
      'medium s1/function: function text changed: 14 characters (was 8)',
      'medium q1/body_function: function added (8 characters)',
      'medium q1/header_function: function removed (was 8 characters)',
    ],
  },
  'is mild about http sources, whose functions never run': {
    compares: [changed(aSource({ type: 'http', body_function: null }), { type: 'http', body_function: 'return 1' })],
    finds: ['info q1/body_function: function added (8 characters) (the service runs no functions of http sources)'],
  },
  'leaves other texts alone': {
    compares: [changed(aSubscription({ name: 'a', function: 'f' }), { name: 'b', function: 'f' })],
  },
  'is silent where a function is not shown': { compares: [changed(aSource({ body_function: 'f' }), {})] },
}
