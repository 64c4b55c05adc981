import { resourceRule } from '../engine/define-rule.ts'

export const ownerMissing = resourceRule('endpoint', {
  id: 'endpoint/owner-missing',
  title: 'Endpoint has no owner',
  severity: 'low',
  packs: [],
  optIn: true,
  check({ attributes: { owner_id: owner } }) {
    if (owner === null || owner === '') return { path: '/owner_id', message: 'no owner' }
    return undefined
  },
})
