import type { Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'reports withheld removals by listing': {
    scan: {
      unconfirmedRemovals: [
        { listing: 'endpoints', missing: 40, total: 60 },
        { listing: 'subscriptions', missing: 80, total: 100 },
      ],
    },
    finds: [
      'high p: 40 of 60 endpoints and 80 of 100 subscriptions disappeared in one scan; waiting for the next scan to confirm it',
    ],
  },
  'is silent where nothing is withheld': { scan: {} },
}
