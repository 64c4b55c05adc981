import type { ViolationState } from '../../model/violation.ts'
import type { SiteLinkQuery } from '../link.ts'
import type { SiteRequest } from '../page.ts'
import type { SameAnswer } from '../same-answer.ts'
import { type AskedState, askedStates } from './asked-states.ts'

/** What chooses, orders and groups the violations of a list. */
export const violationParameters = [
  ...['state', 'severity', 'max-severity', 'rule', 'project', 'owner', 'kind', 'older-than', 'overdue', 'since', 'q'],
  ...['group-by', 'sort'],
] as const

/** The parameters that choose and order, without the place in the list. */
export function filtersOf({ query }: SiteRequest): SiteLinkQuery {
  return Object.fromEntries(violationParameters.map((name) => [name, query.all(name)]))
}

/** The command for the same list. */
export function sameList({ query }: SiteRequest): SameAnswer {
  const { state } = { state: (query.one('state') ?? 'open') as AskedState } // readAsked has refused other words
  const asked = askedStates[state] as readonly ViolationState[]
  const flags = [
    ...(asked.includes('opened') || asked.includes('continuing') ? ['open'] : []),
    ...['resolved', 'waived', 'unknown'].filter((flag) => asked.some((one) => one === flag)),
  ]
  const named = ['severity', 'max-severity', 'rule', 'project', 'owner', 'kind', 'older-than', 'since', 'sort'] as const
  return {
    command: ['violations'],
    options: {
      ...Object.fromEntries(flags.map((flag) => [flag, true] as const)),
      ...Object.fromEntries(named.map((name) => [name, query.all(name)])),
      ...(query.one('overdue') === undefined ? {} : { overdue: true }),
    },
    lacks: query.one('q') === undefined ? undefined : 'It lists violations of all texts.',
  }
}
