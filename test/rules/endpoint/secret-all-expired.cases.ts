import { anEndpoint, type Cases, endpoints } from '../rule-cases.ts'

const secret = (expires_at: string | null, deleted_at: string | null = null) => ({ expires_at, deleted_at })

export const cases: Cases = {
  'finds an endpoint whose active secrets are all past their expiry, and names the last day': {
    sees: [anEndpoint({ secrets: { a: secret('2026-11-01T00:00:00Z'), b: secret('2026-11-19T08:00:00Z') } })],
    finds: ['high e1/secrets: all active secrets have expired, the last one on 2026-11-19'],
  },
  'leaves an endpoint alone while one secret is valid': {
    sees: endpoints(
      { secrets: { a: secret('2026-11-01T00:00:00Z'), b: secret(null) } },
      { secrets: { a: secret('2026-11-22T00:00:00Z') } },
    ),
  },
  'does not count deleted secrets': {
    sees: [anEndpoint({ secrets: { a: secret('2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z') } })],
  },
  'is silent without secrets, and where no expiry is shown': {
    sees: endpoints({}, { secrets: null }, { secrets: { a: { deleted_at: null } } }),
  },
}
