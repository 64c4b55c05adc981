import { kinds } from '../../model/resource.ts'
import { severities } from '../../model/violation.ts'
import type { ViolationIndex } from '../../queries/violation-index.ts'
import { groupings } from '../../report/group-by.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import type { SiteRequest } from '../page.ts'
import { askedStates } from './asked-states.ts'

/** More would make the page large; what is not suggested can be typed. */
const mostSuggested = 100

/** The filters as a form: without script, it is an address. */
export function showFilters({ query, link, isLatest, run }: SiteRequest, index: ViolationIndex, state: string): Markup {
  const field = (name: string, label: string, control: Markup) =>
    html`<p><label for="f-${name}">${label}</label>${control}</p>`
  const choice = (
    name: string,
    label: string,
    choices: readonly (readonly [value: string, text: string])[],
    chosen: string,
  ) =>
    field(
      name,
      label,
      html`<select id="f-${name}" name="${name}">${choices.map(([value, text]) =>
        value === chosen
          ? html`<option value="${value}" selected>${text}</option>`
          : html`<option value="${value}">${text}</option>`,
      )}</select>`,
    )
  const text = (name: string, label: string, hint: string, suggested: readonly string[] = []) =>
    field(
      name,
      label,
      html`<input id="f-${name}" name="${name}" value="${query.all(name).join(' ')}" placeholder="${hint}"${suggested.length === 0 ? nothing : html` list="l-${name}"`}>${
        suggested.length === 0
          ? nothing
          : html`<datalist id="l-${name}">${suggested.slice(0, mostSuggested).map((one) => html`<option value="${one}"></option>`)}</datalist>`
      }`,
    )
  const any = ['', 'any'] as const
  const overdue = query.one('overdue') === undefined ? nothing : html` checked`
  return html`<form class="filters" method="get" action="/violations" role="search" aria-label="Filters">
${isLatest ? nothing : html`<input type="hidden" name="run" value="${run.number}">`}
${choice(
  'state',
  'State',
  Object.keys(askedStates).map((name) => [name, name] as const),
  state,
)}
${choice('severity', 'Severity', [any, ...severities.map((name) => [name, name === 'critical' ? name : `${name} or above`] as const)], query.one('severity') ?? '')}
${text('rule', 'Rule', 'endpoint/*', index.rules.toSorted())}
${text('project', 'Project', 'acme/*', index.projects.toSorted())}
${text('owner', 'Owner', 'tenant-0*')}
${choice('kind', 'Kind', [any, ...kinds.map((name) => [name, name] as const)], query.one('kind') ?? '')}
${text('older-than', 'Older than', '30d')}
${text('since', 'Since run', String(run.number))}
${text('q', 'Text', 'in names and messages')}
${choice('group-by', 'Group by', [['', 'nothing'], ...groupings.map((name) => [name, name] as const)], query.one('group-by') ?? '')}
<p class="check"><input type="checkbox" id="f-overdue" name="overdue" value="true"${overdue}> <label for="f-overdue">overdue</label></p>
<p class="check"><button>Filter</button> <a href="${link('/violations')}">Reset</a></p>
</form>`
}
