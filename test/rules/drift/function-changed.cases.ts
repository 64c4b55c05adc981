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
      'medium s1/function: its text changed, from 8 to 14 characters',
      'medium q1/body_function: a function of 8 characters where there was none',
      'medium q1/header_function: the function of 8 characters is gone',
    ],
  },
  'leaves other texts alone': {
    compares: [changed(aSubscription({ name: 'a', function: 'f' }), { name: 'b', function: 'f' })],
  },
  'is silent where a function is not shown': { compares: [changed(aSource({ body_function: 'f' }), {})] },
}
