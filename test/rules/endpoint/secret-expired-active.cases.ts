import { anEndpoint, type Cases } from '../rule-cases.ts'

const secret = (more: { expires_at?: string | null; deleted_at?: string | null }) => ({
  created_at: '2026-01-01T00:00:00Z',
  expires_at: null,
  deleted_at: null,
  ...more,
})
const successor = secret({})

export const cases: Cases = {
  'finds a secret that expired more than seven days ago': {
    sees: [anEndpoint({ secrets: { k1: secret({ expires_at: '2026-11-13T23:59:59Z' }), k2: successor } })],
    finds: ['medium e1/secrets/k1: expired on 2026-11-13 and still signs (policy: at most 7 days past expiry)'],
  },
  'finds every such secret, and names each by its uid': {
    sees: [
      anEndpoint({
        secrets: {
          'k/1': secret({ expires_at: '2026-01-01T00:00:00Z' }),
          k2: secret({ expires_at: '2026-02-01T00:00:00Z' }),
          k3: secret({}),
        },
      }),
    ],
    finds: [
      'medium e1/secrets/k~11: expired on 2026-01-01 and still signs (policy: at most 7 days past expiry)',
      'medium e1/secrets/k2: expired on 2026-02-01 and still signs (policy: at most 7 days past expiry)',
    ],
  },
  'allows as many days as the policy says': {
    sees: [anEndpoint({ secrets: { k1: secret({ expires_at: '2026-11-20T22:00:00Z' }), k2: successor } })],
    options: { max_days: 0 },
    finds: ['medium e1/secrets/k1: expired on 2026-11-20 and still signs (policy: at most 0 days past expiry)'],
  },
  'waits exactly seven days': {
    sees: [anEndpoint({ secrets: { k1: secret({ expires_at: '2026-11-14T00:00:00Z' }), k2: successor } })],
  },
  'finds that all active secrets have expired, at once, and names the last day': {
    sees: [
      anEndpoint({
        secrets: {
          k1: secret({ expires_at: '2026-11-19T00:00:00Z' }),
          k2: secret({ expires_at: '2026-11-20T08:00:00Z' }),
          k3: secret({ expires_at: '2026-12-20T08:00:00Z', deleted_at: '2026-11-01T00:00:00Z' }),
        },
      }),
    ],
    finds: [
      'medium e1/secrets: all active secrets have expired, the last one on 2026-11-20: they still sign, and no request adds another',
    ],
  },
  'leaves secrets alone of which one ends later': {
    sees: [
      anEndpoint({
        secrets: {
          k1: secret({ expires_at: '2026-11-19T00:00:00Z' }),
          k2: secret({ expires_at: '2026-12-20T08:00:00Z' }),
        },
      }),
    ],
  },
  'leaves a deleted secret alone': {
    sees: [
      anEndpoint({
        secrets: { k1: secret({ expires_at: '2026-01-01T00:00:00Z', deleted_at: '2026-01-02T00:00:00Z' }) },
      }),
    ],
  },
  'leaves a secret without an expiry alone': { sees: [anEndpoint({ secrets: { k1: secret({}) } })] },
  'is silent about an expiry that is not a time': {
    sees: [anEndpoint({ secrets: { k1: secret({ expires_at: 'soon' }) } })],
  },
}
