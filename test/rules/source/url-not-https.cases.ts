import { aSource, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds plain http': {
    sees: [aSource({ type: 'http', url: 'http://hooks.example/ingest/1' })],
    finds: ['medium q1/url: receives events at hooks.example over plain http'],
  },
  'leaves https alone': { sees: [aSource({ type: 'http', url: 'https://hooks.example/ingest/1' })] },
  'does not evaluate an address without a scheme': {
    sees: [aSource({ type: 'http', url: 'localhost:5005/ingest/1' })],
  },
  'leaves a source that reads from a queue alone': {
    sees: [aSource({ type: 'pub_sub', url: 'http://hooks.example/ingest/1' })],
  },
  'is silent where address or type are not shown': {
    sees: [aSource({ type: 'http' }), aSource({ type: 'http', url: null }), aSource({ url: 'http://hooks.example' })],
  },
}
