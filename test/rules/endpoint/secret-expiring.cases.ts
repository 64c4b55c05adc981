import { anEndpoint, type Cases, endpoints } from '../rule-cases.ts'

const ending = { expires_at: '2026-11-25T00:00:00Z' }
const inDecember = anEndpoint({ secrets: { a: { expires_at: '2026-12-15T00:00:00Z' } } })

export const cases: Cases = {
  'finds that the last secret to expire does so within seven days': {
    sees: [
      anEndpoint({
        secrets: { a: { expires_at: '2026-11-22T00:00:00Z' }, b: { expires_at: '2026-11-25T09:00:00Z' } },
      }),
    ],
    finds: [
      'medium e1/secrets/b: expires on 2026-11-25 (policy: valid for at least 7 more days), and no other secret is valid for longer',
    ],
  },
  'leaves a secret alone when a successor is valid for longer': {
    sees: endpoints(
      { secrets: { a: ending, b: { expires_at: null } } },
      { secrets: { a: ending, b: { expires_at: '2027-01-01T00:00:00Z' } } },
    ),
  },
  'leaves an expired secret to another rule': {
    sees: [anEndpoint({ secrets: { a: { expires_at: '2026-11-20T00:00:00Z' } } })],
  },
  'checks seven days ahead by default': { sees: [inDecember] },
  'checks as many days ahead as the policy says': {
    sees: [inDecember],
    options: { min_days: 30 },
    finds: [
      'medium e1/secrets/a: expires on 2026-12-15 (policy: valid for at least 30 more days), and no other secret is valid for longer',
    ],
  },
  'is silent where nothing is shown': { sees: endpoints({}, { secrets: { a: {} } }) },
}
