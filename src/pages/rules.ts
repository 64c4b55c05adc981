import { kinds } from '../model/resource.ts'
import { severities } from '../model/violation.ts'
import { type RuleInRun, readRules, worstOf } from '../questions/read-rules.ts'
import { showCount } from '../report/gaps.ts'
import { emptyState } from '../report/html/components/parts.ts'
import { cell, table } from '../report/html/components/table.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { count } from '../text/count.ts'
import { choiceField, showFilterForm, textField } from './filter-form.ts'
import { paths, type SiteLink } from './link.ts'
import type { SiteContent, SitePage, SiteRequest } from './page.ts'
import { readChoice } from './query.ts'
import { showSeverity } from './rule.ts'
import { showAllGaps } from './show-gaps.ts'

/** The rules: what is violated first, then what the run could not evaluate everywhere, then the rest. */
export const rulesPage: SitePage = {
  path: '/rules',
  parameters: ['kind', 'severity', 'text'],
  isOfRun: true,
  async show(request): Promise<SiteContent> {
    const { history, run, query, link } = request
    const all = await readRules(history, run.number)
    const chosen = all.filter(filterOf(request))
    const evaluated = chosen.filter((rule) => rule.evaluated !== undefined)
    const unevaluated = chosen.filter((rule) => rule.evaluated === undefined)
    const of = (isMember: (rule: RuleInRun) => boolean) => evaluated.filter(isMember)
    const sections = [
      {
        id: 'violated',
        title: 'Violated',
        rules: [...of(({ open }) => open > 0), ...unevaluated.filter(({ open }) => open > 0)],
      },
      {
        id: 'unknown',
        title: 'Nothing open where it could be evaluated',
        note: 'A part of what these rules evaluate was not scanned, or could not be checked.',
        rules: of((rule) => rule.open === 0 && isUnsure(rule)),
      },
      { id: 'kept', title: 'Nothing open', rules: of((rule) => rule.open === 0 && !isUnsure(rule)) },
      {
        id: 'left',
        title: 'Not in the policy',
        note: `Run ${run.number} did not evaluate these, so it says nothing about them.`,
        rules: unevaluated.filter(({ open }) => open === 0),
      },
    ].filter(({ rules }) => rules.length > 0)
    return {
      title: 'Rules',
      crumbs: [],
      alarm: await showAllGaps(request),
      body: html`<p class="meta">${describe(all, run.number)}</p>
${showFilterForm('/rules', query, [textField('text', 'Text', 'such as secret'), choiceField('severity', 'Severity', severities, 'any'), choiceField('kind', 'Kind', kinds, 'any')])}${chosen.length !== all.length && html`<p class="meta">${chosen.length} of ${count(all.length, 'rule')} shown. <a href="${link('/rules')}">Show all</a></p>`}${
  chosen.length === 0 && emptyState('No rule fits this filter.', 'none')
}${sections.map(({ rules, ...section }) => pageSection({ ...section, count: rules.length, content: showRules(rules, section.title, link) }))}`,
      same: {
        command: ['rules'],
        isOfNoRun: true,
        lacks: 'It lists the rules that come with hookdrift, all of them and without what violates them.',
      },
    }
  },
}

function filterOf({ query }: SiteRequest): (rule: RuleInRun) => boolean {
  const [severity, kind] = [readChoice(query, 'severity', severities), readChoice(query, 'kind', kinds)]
  const text = query.one('text')?.toLowerCase() ?? ''
  return (rule) =>
    (severity === undefined || rule.severity === severity || worstOf(rule) === severity) &&
    (kind === undefined || rule.kind === kind) &&
    `${rule.id} ${rule.title}`.toLowerCase().includes(text)
}

function isUnsure({ gaps, not_evaluated, missed, unknown }: RuleInRun): boolean {
  return gaps.length + not_evaluated.length + missed.length + unknown > 0
}

function describe(all: readonly RuleInRun[], run: number): string {
  const evaluated = all.filter((rule) => rule.evaluated !== undefined)
  const violated = all.filter(({ open }) => open > 0)
  const open = violated.reduce((sum, rule) => sum + rule.open, 0)
  const least = all.some(isUnsure) ? 'At least ' : ''
  return `The policy of run ${run} evaluates ${evaluated.length} of ${count(all.length, 'rule')}. ${least}${count(open, 'violation')} of ${count(violated.length, 'rule')} ${open === 1 ? 'is' : 'are'} open.`
}

const columns = [
  { title: 'Rule' },
  { title: 'Severity' },
  { title: 'Finds' },
  { title: 'Open', isNumber: true },
  { title: 'Waived', isNumber: true },
]

function showRules(rules: readonly RuleInRun[], name: string, link: SiteLink): Markup {
  return table(
    name,
    columns,
    rules.map((rule) => showRule(rule, link)),
  )
}

function showRule(rule: RuleInRun, link: SiteLink): Markup {
  const { id, title, waived, unknown, not_evaluated, missed } = rule
  // What was not scanned is said once, above: it concerns most rules.
  const doubts = [
    ...(not_evaluated.length === 0 ? [] : [`not evaluated in ${count(not_evaluated.length, 'project')}`]),
    ...(missed.length === 0 ? [] : [`not everything evaluated in ${count(missed.length, 'project')}`]),
    ...(unknown === 0 ? [] : [`${count(unknown, 'violation')} not checked`]),
  ]
  const doubt = doubts.length > 0 && html`<br><span class="bad">? ${doubts.join(', ')}</span>`
  const what = title === '' ? 'A rule of an earlier policy' : title
  return html`<tr data-rule="${id}"><th scope="row"><a href="${link(paths.rule(id))}"><code>${id}</code></a></th>${cell('Severity', showSeverity(rule))}${cell('Finds', html`<span>${what}${doubt}</span>`)}${cell('Open', showOpen(rule), showOpen(rule) === '?' ? 'n unseen' : 'n')}${cell('Waived', waived, 'n')}</tr>
`
}

/** What a rule found: a dash where it was not evaluated, and `?` or `N+` where not everywhere. */
function showOpen(rule: RuleInRun): string {
  if (rule.evaluated === undefined && rule.open === 0) return '–'
  return showCount(rule.open, isUnsure(rule) ? 'some' : 'all')
}
