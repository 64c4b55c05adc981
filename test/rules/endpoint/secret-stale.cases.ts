import { anEndpoint, type Cases, endpoints } from '../rule-cases.ts'

export const cases: Cases = {
  'finds that the newest secret is older than a year': {
    sees: [
      anEndpoint({
        secrets: { a: { created_at: '2024-01-01T00:00:00Z' }, b: { created_at: '2025-06-01T12:00:00Z' } },
      }),
    ],
    finds: ['low e1/secrets/b: newest secret was created on 2025-06-01 (policy: at most 365 days old)'],
  },
  'leaves an old secret alone that has a young successor': {
    sees: [
      anEndpoint({
        secrets: { a: { created_at: '2024-01-01T00:00:00Z' }, b: { created_at: '2026-06-01T00:00:00Z' } },
      }),
    ],
  },
  'allows as many days as the policy says': {
    sees: [anEndpoint({ secrets: { a: { created_at: '2026-06-01T00:00:00Z' } } })],
    options: { max_days: 90 },
    finds: ['low e1/secrets/a: newest secret was created on 2026-06-01 (policy: at most 90 days old)'],
  },
  'is silent where one date is not shown': {
    sees: endpoints(
      {},
      { secrets: { a: {}, b: { created_at: '2024-01-01T00:00:00Z' } } },
      { secrets: { a: { created_at: null } } },
    ),
  },
}
