import type { JsonObject } from '../../../src/model/json.ts'
import { aProject, type Cases, changed } from '../rule-cases.ts'

const project = (before: JsonObject, after: JsonObject) => [changed(aProject({ config: before }), { config: after })]
const header = (request_id_header: string | null) => ({ request_id_header })

export const cases: Cases = {
  'finds another name, and one that was emptied': {
    compares: [
      ...project(header('X-Convoy-Idempotency-Key'), header('x-acme-tok3n-id')),
      ...project(header('x-acme-tok3n-id'), header(null)),
    ],
    finds: [
      'medium p/config/request_id_header: request ID header is `x-acme-tok3n-id` (was `X-Convoy-Idempotency-Key`)',
      'medium p/config/request_id_header: request ID header is empty (was `x-acme-tok3n-id`)',
    ],
  },
  'leaves the same name alone': { compares: project(header('x-id'), header('x-id')) },
  'leaves an upgrade alone that begins to show it': {
    compares: [...project({}, header('X-Convoy-Idempotency-Key')), ...project(header('x-id'), {})],
  },
}
