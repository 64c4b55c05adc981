import { anEndpoint, type Cases, endpoints } from '../rule-cases.ts'

const deleted = { deleted_at: '2026-01-01T00:00:00Z' }

export const cases: Cases = {
  'finds a third active secret': {
    sees: [anEndpoint({ secrets: { a: {}, b: {}, c: {} } })],
    finds: ['low e1/secrets: 3 active secrets (policy: at most 2)'],
  },
  'allows two, which a rotation takes, and any number of deleted ones': {
    sees: [anEndpoint({ secrets: { a: {}, b: {}, c: deleted, d: deleted } })],
  },
  'allows as many as the policy says': {
    sees: [anEndpoint({ secrets: { a: {}, b: {} } })],
    options: { max_secrets: 1 },
    finds: ['low e1/secrets: 2 active secrets (policy: at most 1)'],
  },
  'is silent where no secrets are shown': { sees: endpoints({}, { secrets: null }) },
}
