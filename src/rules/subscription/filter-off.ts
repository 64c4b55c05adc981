import { resourceRule } from '../engine/define-rule.ts'
import { appliedFilters, filterFor, filterRows, isSwitchedOff, rowPath } from '../shared/delivered-events.ts'

export const filterOff = resourceRule('subscription', {
  id: 'subscription/filter-off',
  title: 'Filter row is switched off',
  severity: 'medium',
  packs: ['delivery'],
  readsRows: true,
  acceptedWith: ['/filters/*'],
  *check({ attributes }) {
    const rows = filterRows(attributes)
    const applied = appliedFilters(rows)
    if (rows === undefined || applied === undefined) return
    for (const [type, row] of Object.entries(rows)) {
      if (!isSwitchedOff(row)) continue
      const isLeft = filterFor(applied, type) !== undefined
      const named = isLeft ? `\`${type}\` falls back to the row of \`*\`` : `\`${type}\` is not delivered`
      const what = type === '*' ? 'event types without a row of their own are not delivered' : named
      yield { path: `${rowPath(type)}/enabled_at`, message: `filter row is switched off: ${what}` }
    }
  },
})
