import { aSource, type Cases, changed } from '../rule-cases.ts'

const keyed = (idempotency_keys: string[] | null, type = 'http') => aSource({ type, idempotency_keys })
const to = (idempotency_keys: string[] | null, type = 'http') => ({ type, idempotency_keys })

export const cases: Cases = {
  'finds keys that came, went and changed': {
    compares: [
      changed(keyed([]), to(['request.Header.X-Id'])),
      changed(keyed(['request.Header.X-Id']), to([])),
      changed(keyed(['request.Header.X-Id']), to(['request.Body.id', 'request.Header.X-Id'])),
    ],
    finds: [
      'medium q1/idempotency_keys: idempotency keys are `request.Header.X-Id` (were none)',
      'medium q1/idempotency_keys: idempotency keys are none (were `request.Header.X-Id`)',
      'medium q1/idempotency_keys: idempotency keys are `request.Body.id`, `request.Header.X-Id` (were `request.Header.X-Id`)',
    ],
  },
  'leaves a source of a queue alone': { compares: [changed(keyed([], 'pub_sub'), to(['request.Body.id'], 'pub_sub'))] },
  'leaves other changes alone': {
    compares: [changed(aSource({ type: 'http', name: 'a' }), { type: 'http', name: 'b' })],
  },
  'is silent where keys are not shown': { compares: [changed(keyed(['request.Body.id']), { type: 'http' })] },
}
