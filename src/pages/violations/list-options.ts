import type { ViolationState } from '../../model/violation.ts'
import type { SiteLinkQuery } from '../link.ts'
import type { SiteRequest } from '../page.ts'
import { wordOf } from '../word-of.ts'
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

function optionsOf({ query }: SiteRequest): readonly (readonly [name: string, values: readonly string[] | true])[] {
  const { state } = { state: (query.one('state') ?? 'open') as AskedState } // readAsked has refused other words
  const flags = askedStates[state] as readonly ViolationState[]
  const named = ['severity', 'max-severity', 'rule', 'project', 'owner', 'kind', 'older-than', 'since', 'sort'] as const
  return [
    ...(flags.includes('opened') || flags.includes('continuing') ? [['open', true] as const] : []),
    ...(['resolved', 'waived', 'unknown'] as const).flatMap((flag) =>
      flags.includes(flag) ? [[flag, true] as const] : [],
    ),
    ...named.flatMap((name) => (query.one(name) === undefined ? [] : [[name, query.all(name)] as const])),
    ...(query.one('overdue') === undefined ? [] : [['overdue', true] as const]),
  ]
}

/** The options of the command for the same list, as its command line has them. */
export function commandOptions(request: SiteRequest): string {
  return optionsOf(request)
    .map(([name, values]) => (values === true ? ` --${name}` : ` --${name} ${values.map(wordOf).join(' ')}`))
    .join('')
}

/** The same as parameters of the API. */
export function apiQuery(request: SiteRequest): SiteLinkQuery {
  return Object.fromEntries(optionsOf(request).map(([name, values]) => [name, values === true ? 'true' : values]))
}
