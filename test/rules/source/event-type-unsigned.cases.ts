import type { SourceRow } from '../../../src/demo/rows.ts'
import type { Json } from '../../../src/model/json.ts'
import { aSource, type Cases } from '../rule-cases.ts'

/** What the service stores when a resource breaks the rule: test/rules/broken-fleet.test.ts audits a fleet with it. */
export const broken = {
  change: { event_type_location: 'request.header.X-Event-Type', verifier: null },
  /** Rules that the same row breaks as well. */
  also: ['source/unverified'],
} satisfies { change: Partial<SourceRow>; also: string[] }

const reading = (event_type_location: Json, verifier: Json = { type: 'noop' }, type = 'http') =>
  aSource({ type, event_type_location, verifier })
const open = (part: string, location: string) =>
  `medium q1/event_type_location: the event type comes from ${part} (\`${location}\`) of unverified requests`

export const cases: Cases = {
  'finds a type from a header or the query of a source that nothing verifies': {
    sees: [reading('request.header.X-Event-Type'), reading('req.query.type', null), reading('req.QueryParam.type', {})],
    finds: [
      open('a header', 'request.header.X-Event-Type'),
      open('the query', 'req.query.type'),
      open('the query', 'req.QueryParam.type'),
    ],
  },
  'leaves a type from the body alone, and the default': {
    sees: [reading('request.body.object_kind'), reading('req.body.header.x'), reading(null)],
  },
  'leaves a source alone that verifies its sender': {
    sees: ['hmac', 'basic_auth', 'api_key'].map((type) => reading('request.header.X-Event-Type', { type })),
  },
  'leaves message queues alone: their brokers decide who writes': {
    sees: [reading('request.header.X-Event-Type', { type: 'noop' }, 'pub_sub')],
  },
  'is silent where the location or the verifier is not shown': {
    sees: [
      aSource({ type: 'http', verifier: { type: 'noop' } }),
      aSource({ type: 'http', event_type_location: 'request.header.X-Event-Type' }),
    ],
  },
}
