import type { Cases } from '../rule-cases.ts'

const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0 }
const firstDue = '2026-11-03T10:00:00.000Z'

export const cases: Cases = {
  'names the rule, and counts by severity': {
    overdue: [{ rule: 'endpoint/inactive', counts: { ...none, critical: 1, high: 2 }, firstDue }],
    finds: [
      'medium p/endpoint~1inactive: 3 violations of endpoint/inactive are overdue (1 critical, 2 high); the first was due on 2026-11-03',
    ],
  },
  'speaks of each rule by itself, of a single violation too': {
    overdue: [
      { rule: 'endpoint/inactive', counts: { ...none, high: 1 }, firstDue },
      { rule: 'endpoint/orphan', counts: { ...none, low: 1 }, firstDue },
    ],
    finds: [
      'medium p/endpoint~1inactive: 1 violation of endpoint/inactive is overdue (1 high); it was due on 2026-11-03',
      'medium p/endpoint~1orphan: 1 violation of endpoint/orphan is overdue (1 low); it was due on 2026-11-03',
    ],
  },
  'is silent where nothing is overdue': { overdue: [] },
}
