import { resourceRule } from '../engine/define-rule.ts'

export const inactive = resourceRule('endpoint', {
  id: 'endpoint/inactive',
  title: 'Endpoint is inactive: its events are discarded',
  severity: 'high',
  packs: ['delivery'],
  check({ attributes }) {
    if (attributes.status === 'inactive') {
      return { path: '/status', message: 'disabled after failures: its events are discarded, not queued' }
    }
    return undefined
  },
})
