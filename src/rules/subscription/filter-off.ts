import { resourceRule } from '../engine/define-rule.ts'
import { appliedFilters, filterFor, filterRows, isSwitchedOff, rowPath } from '../shared/delivered-events.ts'

export const filterOff = resourceRule('subscription', {
  id: 'subscription/filter-off',
  title: 'Filter row is switched off',
  severity: 'medium',
  packs: ['delivery'],
  acceptedWith: ['/filters/*'],
  *check({ attributes }) {
    const rows = filterRows(attributes)
    const applied = appliedFilters(rows)
    if (rows === undefined || applied === undefined) return
    for (const [type, row] of Object.entries(rows)) {
      if (!isSwitchedOff(row)) continue
      const isLeft = filterFor(applied, type) !== undefined
      const named = isLeft ? `\`${type}\` is left to the row of \`*\`` : `no event of \`${type}\` is delivered`
      const what = type === '*' ? 'no event of a type without a row of its own is delivered' : named
      yield { path: `${rowPath(type)}/enabled_at`, message: `its row is switched off: ${what}` }
    }
  },
})
