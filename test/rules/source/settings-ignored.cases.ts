import { aSource, type Cases } from '../rule-cases.ts'

const functions = {
  body_function: 'function transform(p) { return p }',
  header_function: 'function transform(h) { return h }',
}

export const cases: Cases = {
  'finds what has no effect': {
    sees: [aSource({ type: 'http', forward_headers: ['X-Request-Id'], ...functions })],
    finds: [
      'info q1/body_function: has no effect: only functions of queue sources run',
      'info q1/header_function: has no effect: only functions of queue sources run',
      'info q1/forward_headers: has no effect: all headers of a request are passed on',
    ],
  },
  'leaves the functions of a queue source alone': {
    sees: [aSource({ type: 'pub_sub', forward_headers: null, ...functions })],
  },
  'leaves alone what says nothing': {
    sees: [aSource({ type: 'http', forward_headers: [], body_function: null, header_function: null })],
  },
}
