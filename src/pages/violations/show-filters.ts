import { kinds } from '../../model/resource.ts'
import { severities } from '../../model/violation.ts'
import { groupings } from '../../report/group-by.ts'
import type { Markup } from '../../report/html/markup.ts'
import { checkField, choiceField, showFilterForm, textField } from '../filter-form.ts'
import type { SiteRequest } from '../page.ts'
import { askedStates } from './asked-states.ts'

const otherStates = Object.keys(askedStates).filter((state) => state !== 'open')
const leastSeverities = severities.map((name) => [name, name === 'critical' ? name : `${name} or above`] as const)
const mostSeverities = severities.map((name) => [name, name === 'info' ? name : `${name} or below`] as const)

/** The filters of the violations. `rules` and `projects`: names that are suggested. */
export function showFilters(
  { query, run }: SiteRequest,
  { rules, projects }: { readonly rules: readonly string[]; readonly projects: readonly string[] },
): Markup {
  const fields = [
    choiceField('state', 'State', otherStates, 'open'),
    choiceField('severity', 'Severity', leastSeverities, 'any'),
    textField('rule', 'Rule', 'endpoint/*', rules),
    textField('project', 'Project', 'acme/*', projects),
    textField('owner', 'Owner', 'tenant-0*'),
    textField('q', 'Text', 'names, messages'),
  ]
  const more = [
    choiceField('max-severity', 'At most', mostSeverities, 'any'),
    choiceField('kind', 'Kind', kinds, 'any'),
    textField('older-than', 'Older than', '30d'),
    textField('since', 'Since run', String(run.number)),
    choiceField('group-by', 'Group by', groupings, 'nothing'),
    checkField('overdue', 'overdue'),
  ]
  return showFilterForm('/violations', query, fields, { more, kept: ['sort'] })
}
