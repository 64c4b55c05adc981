import { count } from '../../model/text/count.ts'
import { resourceRule } from '../engine/define-rule.ts'
import { appliedFilters, asksTheSame, declaredEvents, filterRows, rowPath } from '../shared/delivered-events.ts'

export const wildcardMixed = resourceRule('subscription', {
  id: 'subscription/wildcard-mixed',
  title: 'Event types are listed next to a wildcard',
  severity: 'low',
  packs: ['hygiene'],
  acceptedWith: ['/filters'],
  check({ attributes }) {
    const applied = appliedFilters(filterRows(attributes))
    const declared = namesNextToWildcard(declaredEvents(attributes.filter_config).types ?? [])
    if (applied === undefined) return declared === undefined ? undefined : declaredMix(declared)
    const filter = applied.get('*')
    // The row of an event type applies in place of the row of `*`: one that asks for something else does decide.
    const alike = filter && [...applied].filter(([type, row]) => type === '*' || asksTheSame(row, filter))
    const names = namesNextToWildcard((alike ?? []).map(([type]) => type))
    if (names === undefined) return undefined
    if (declared !== undefined) return declaredMix(declared)
    return {
      path: rowPath('*'),
      message: `filter rows of ${named(names)} repeat the row of \`*\``,
    }
  },
})

function declaredMix(names: number) {
  return {
    path: '/filter_config/event_types',
    message: `lists ${named(names)} next to \`*\`, which matches every event type`,
  }
}

/** How many; undefined where one of the two is missing. */
function namesNextToWildcard(types: readonly string[]): number | undefined {
  const names = types.filter((type) => type !== '*').length
  return names === 0 || names === types.length ? undefined : names
}

function named(names: number): string {
  return count(names, 'event type')
}
