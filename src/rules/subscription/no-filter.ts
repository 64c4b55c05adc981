import { resourceRule } from '../engine/define-rule.ts'
import { filterRows } from '../shared/delivered-events.ts'

export const noFilter = resourceRule('subscription', {
  id: 'subscription/no-filter',
  title: 'Subscription has no filter row and receives nothing',
  severity: 'high',
  packs: ['delivery'],
  check({ attributes }) {
    const rows = filterRows(attributes)
    if (rows === undefined || Object.keys(rows).length > 0) return
    return { path: '/filters', message: 'no filter row is left: it is delivered no event' }
  },
})
