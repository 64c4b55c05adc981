import { resourceRule } from '../engine/define-rule.ts'
import { appliedFilters, asksTheSame, declaredEvents, filterOf, filterRows } from '../shared/delivered-events.ts'
import { listed } from '../shared/listed.ts'

export const filterDiverges = resourceRule('subscription', {
  id: 'subscription/filter-diverges',
  title: 'Filter rows differ from the declared filter',
  severity: 'high',
  packs: ['delivery'],
  readsRows: true,
  acceptedWith: ['/filter_config'],
  check({ attributes }) {
    const { filter_config: config } = attributes
    const declared = declaredEvents(config).types
    if (declared === undefined) return
    const rows = filterRows(attributes)
    const applied = appliedFilters(rows)
    // Without any row, and where one is switched off, other rules say so.
    if (rows === undefined || applied === undefined || Object.keys(rows).length === 0) return
    const filter = filterOf(config)
    const isDeclared = (type: string) => declared.includes('*') || declared.includes(type)
    const missing = declared.filter((type) => !Object.hasOwn(rows, type) && !applied.has('*'))
    const types = [...applied.keys()]
    const extra = types.filter((type) => !isDeclared(type))
    const otherwise = types.filter((type) => {
      const row = applied.get(type)
      return isDeclared(type) && row !== undefined && filter !== undefined && !asksTheSame(row, filter)
    })
    const differences = [
      ...(missing.length === 0 ? [] : [`no row for ${listed(missing.map(quoted))}`]),
      ...(extra.length === 0 ? [] : [`undeclared rows for ${listed(extra.map(quoted))}`]),
      ...(otherwise.length === 0 ? [] : [`different conditions for ${listed(otherwise.map(quoted))}`]),
    ]
    if (differences.length === 0) return
    return { path: '/filters', message: `filter rows differ from the declared filter: ${differences.join('; ')}` }
  },
})

function quoted(type: string): string {
  return `\`${type}\``
}
