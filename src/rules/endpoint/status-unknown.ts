import { resourceRule } from '../engine/define-rule.ts'

const known = new Set(['active', 'inactive', 'paused'])

export const statusUnknown = resourceRule('endpoint', {
  id: 'endpoint/status-unknown',
  title: 'Status is one that hookdrift does not know',
  severity: 'low',
  packs: ['hygiene'],
  check({ attributes: { status } }) {
    if (typeof status === 'string' && !known.has(status)) {
      return { path: '/status', message: `status ${status} is unknown: whether events are delivered is not known` }
    }
    return undefined
  },
})
