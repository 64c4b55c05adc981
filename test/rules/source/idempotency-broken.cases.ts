import { aSource, type Cases } from '../rule-cases.ts'

const keyed = (...idempotency_keys: string[]) => aSource({ type: 'http', idempotency_keys })
const refused = (key: string) => `high q1/idempotency_keys: the service cannot read \`${key}\`: every event is refused`
const empty = (keys: string) =>
  `high q1/idempotency_keys: ${keys} is empty in every request: all events but the first are dropped as duplicates`

export const cases: Cases = {
  'finds keys that the service takes and cannot read': {
    sees: [
      keyed('request.Header.X.Y'),
      keyed('request.Body.id', 'req.query.a.b'),
      keyed('request.query.'),
      keyed('X-Id'),
      keyed('request.HEADER.X-Id'),
    ],
    finds: ['request.Header.X.Y', 'req.query.a.b', 'request.query.', 'X-Id', 'request.HEADER.X-Id'].map(refused),
  },
  'finds keys of which no request has a value': {
    sees: [keyed('request.Header.X Id'), keyed('request.Header.Host', 'request.body.')],
    finds: [empty('`request.Header.X Id`'), empty('`request.Header.Host`, `request.body.`')],
  },
  'leaves keys alone that it can read, and an empty one next to them': {
    sees: [
      keyed('request.Header.X-Id', 'req.header.webhook-id', 'request.QueryParam.id', 'request.Body.data.id'),
      keyed('request.Header.X Id', 'request.Body.id'),
    ],
  },
  'leaves queues alone, and sources without keys': {
    sees: [aSource({ type: 'pub_sub', idempotency_keys: ['X'] }), keyed(), aSource({ type: 'http' })],
  },
}
