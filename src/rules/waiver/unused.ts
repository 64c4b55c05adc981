import { resourceRule } from '../engine/define-rule.ts'

export const unused = resourceRule('policy', {
  id: 'waiver/unused',
  title: 'Waiver is unused: no violation matches it',
  severity: 'low',
  packs: ['hygiene', 'recommended'],
  acceptedWith: 'nothing',
  *check({ attributes: { used, expires, rule, owner } }, { time }) {
    // One that has expired is to be removed or renewed anyway: `waiver/expired` says so.
    if (used !== false || expires === undefined || time.reached(Date.parse(expires))) return
    yield { path: '/used', message: `no resource that it matches violates ${rule}; owner ${owner}` }
  },
})
