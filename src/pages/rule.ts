import { existsSync } from 'node:fs'
import { count } from '../model/text/count.ts'
import { isoTime } from '../model/time.ts'
import { countSeverities, violationStates } from '../model/violation.ts'
import { readViolatedRules } from '../questions/choose-violations.ts'
import { type RuleInRun, readRules, worstOf } from '../questions/read-rules.ts'
import { everyViolation, readViolations, type ViolationRow } from '../questions/violations.ts'
import { type BuiltInFrameworkId, builtInFrameworkIds, controlsOf } from '../report/compliance/built-in-frameworks.ts'
import { anchorOf, list } from '../report/document/blocks.ts'
import { asHtml } from '../report/document/html.ts'
import { command, emptyState, factList, remediation, rowList, severityChip } from '../report/html/components/parts.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { violationItem } from '../report/report-items.ts'
import { readRulePage, rulePageFile } from '../rules/rule-page.ts'
import { rules } from '../rules/rules.ts'
import { atLastRun } from './find-runs.ts'
import { paths, reportLinks, type SiteLink } from './link.ts'
import { showMarkdown } from './markdown.ts'
import { NotFound, type SiteContent, type SitePage, type SiteRequest } from './page.ts'
import { onceForRun, timeOf } from './run-facts.ts'
import { hookdriftCommand } from './same-answer.ts'
import { linkToCoverage } from './show-gaps.ts'
import { nameCauses, unscannedBar } from './unscanned.ts'

const mostShown = 50

/** A rule: what violates it, then what it finds, why, and how to fix it. */
export const rulePage: SitePage = {
  path: '/rules/:kind/:name',
  parameters: [],
  // Ages and due dates count from the time of asking.
  isOfRun: 'past',
  async show(request): Promise<SiteContent> {
    const { history, run, params, link } = request
    const id = `${params.kind}/${params.name}`
    const rule = await findRule(request, id)
    if (rule === undefined) throw new NotFound(`Run ${run.number} knows no rule ${id}`)
    const last = await atLastRun(request)
    const title = rule.title === '' ? id : rule.title
    const query = { rule: id, state: violationStates.filter((state) => state !== 'resolved') }
    const answer = await readViolations(history, {
      ...everyViolation,
      run,
      states: new Set(query.state),
      rule: id,
      limit: mostShown,
    })
    return {
      title,
      crumbs: [{ title: 'Rules', href: link('/rules') }],
      body: html`<p>${rule.title === '' ? nothing : html`<code>${id}</code> `}${showSeverity(rule)}</p>
${rule.title === '' ? html`<p class="meta">A rule of an earlier policy: the run recorded only what it had found.</p>` : nothing}${await showRuleGaps(rule, request)}${showViolationsOfRule(rule, answer.rows, request)}${isBuiltIn(id) ? showPage(id) : showRemediation(rule)}`,
      aside: showFacts(rule, request),
      same: { command: ['violations'], options: { rule: id } },
      atLast: last !== undefined && (await findRule(last, id)) === undefined ? last.link('/rules') : undefined,
    }
  },
}

/** `medium`; `default medium; here some high` where options or overrides give open violations another severity than the rule has. */
export function showSeverity(rule: RuleInRun): Markup {
  const { severity, severities, open } = rule
  const ofPolicy = severity === undefined ? html`<span class="soft">unknown</span>` : severityChip(severity)
  const worst = worstOf(rule)
  if (worst === undefined || worst === severity) return ofPolicy
  return html`<span>default ${ofPolicy}; here ${severities[worst] === open ? '' : 'some '}${severityChip(worst)}</span>`
}

/** A rule that the run knows; one of an earlier policy by the violations that it had. */
async function findRule(request: SiteRequest, id: string): Promise<RuleInRun | undefined> {
  const { history, run } = request
  const recorded = (await readRules(history, run.number)).find((rule) => rule.id === id)
  if (recorded !== undefined) return recorded
  const violated = await onceForRun(request, 'violated rules', () => readViolatedRules(history, run.number))
  const counts = { open: 0, severities: countSeverities([]), unknown: 0, waived: 0 }
  const omissions = { gaps: [], not_evaluated: [], missed: [] }
  const past = { kind: undefined, title: '', severity: undefined, evaluated: undefined, ...omissions }
  return violated.includes(id) ? { id, ...past, ...counts } : undefined
}

function isBuiltIn(id: string): boolean {
  return rules.some((rule) => rule.id === id)
}

function showViolationsOfRule(
  { id, severity, open, waived, unknown, evaluated, gaps, not_evaluated, missed }: RuleInRun,
  rows: readonly ViolationRow[],
  request: SiteRequest,
): Markup {
  const { run, link } = request
  const active = open + waived + unknown
  if (active === 0) {
    if (evaluated === undefined) {
      return emptyState(`Run ${run.number} did not evaluate it: its policy leaves it out.`, 'unknown')
    }
    return gaps.length + not_evaluated.length + missed.length > 0
      ? emptyState('Nothing was found where it could be evaluated.', 'unknown')
      : emptyState(`Nothing violates it as of run ${run.number}.`, 'none')
  }
  const parts = [
    `${open} open`,
    ...(waived > 0 ? [`${waived} waived`] : []),
    ...(unknown > 0 ? [`${unknown} not checked by the last scan`] : []),
  ]
  const all = html`<a href="${link('/violations', { rule: id, state: 'active' })}">${active > rows.length ? `All ${active} violations` : 'Filter and group them'}</a>`
  const hasRule = rows.some((row) => row.severity !== severity)
  const items = rows.map((row) => violationItem(row, { at: isoTime(timeOf(request)), hasRule }))
  return html`<section aria-labelledby="violations"><h2 id="violations">Violations <span class="count">${active}</span></h2>
<p class="meta">${parts.join(', ')}; ${rows.length} shown. ${all}</p>
${asHtml(list('violation', items), reportLinks(link))}</section>
`
}

/** Its page of the documentation, without the header, which the facts repeat; but with the options. */
function showPage(id: string): Markup {
  // Tools that shrink images delete Markdown.
  if (!existsSync(rulePageFile(id))) return emptyState('The documentation of the rules is not installed.', 'unknown')
  const [header = '', ...sections] = readRulePage(id).split(/^(?=## )/m)
  const options = header.split('\n\n').find((block) => block.startsWith('| option |'))
  return html`<div class="prose">${showMarkdown(sections.join(''))}${
    options === undefined
      ? nothing
      : html`<h2>Options</h2>
${showMarkdown(options)}<p class="meta">Those in force: ${command(hookdriftCommand(['policy', 'explain'], { operands: ['UID', id] }))}, UID being that of a resource</p>`
  }</div>
`
}

/** A rule of the policy has no page: what the run recorded of it. */
function showRemediation({ evaluated }: RuleInRun): Markup {
  if (evaluated === undefined || evaluated.remediation === '') return nothing
  return html`<h2>How to fix</h2>
${remediation(evaluated.remediation)}<p class="meta">A rule of this policy. The policy file has its expression and its options.</p>
`
}

function showFacts({ id, kind, severity, evaluated }: RuleInRun, { run, link }: SiteRequest): Markup {
  const builtIn = rules.find((rule) => rule.id === id)
  const published = builtIn === undefined || builtIn.severity === severity ? '' : ` (${builtIn.severity} as published)`
  return html`${factList([
    ['Severity', severity === undefined ? 'unknown' : `${severity}${published}`],
    ...(kind === undefined ? [] : [['Evaluates', kind] as const]),
    ['In the policy', evaluated === undefined ? `not in run ${run.number}` : `of run ${run.number}`],
    ...(builtIn === undefined ? [] : [['Packs', builtIn.packs.join(', ') || 'none: a policy must name it'] as const]),
    ...(builtIn === undefined
      ? []
      : [['Explained by', command(hookdriftCommand(['rules'], { operands: [id] }))] as const]),
  ])}${showControls(id, evaluated?.controls ?? [], link)}`
}

const mostNamed = 6

/** Where a rule could not be evaluated, a line for each cause: there, nothing found is not nothing wrong. */
async function showRuleGaps({ gaps, not_evaluated, missed }: RuleInRun, request: SiteRequest): Promise<Markup> {
  const { run, link } = request
  const projects = new Set([...gaps, ...not_evaluated, ...missed].map(({ project }) => project))
  if (projects.size === 0) return nothing
  const refusals = [...Map.groupBy([...not_evaluated, ...missed], ({ reason }) => reason)].map(([cause, alike]) => {
    const names = alike.slice(0, mostNamed).map(({ project }) => project)
    const omitted = alike.length - names.length
    return { cause, where: `${names.join(', ')}${omitted > 0 ? ` and ${omitted} more` : ''}` }
  })
  return unscannedBar({
    headline: `The rule could not be evaluated everywhere in ${count(projects.size, 'project')}.`,
    causes: [...nameCauses(gaps, new Set()), ...refusals],
    meaning: 'What it would find there is unknown.',
    href: (await linkToCoverage(request, gaps)) ?? `${link(paths.run(run.number))}#coverage`,
  })
}

/** The controls that a rule gives evidence for, each with its link into the report by control. */
function showControls(rule: string, recorded: readonly string[], link: SiteLink): Markup {
  const controls = [...new Set([...controlsOf(rule), ...recorded])]
  if (controls.length === 0) return nothing
  const rows = controls.map(
    (control) => html`<li>${showControl(control, link)}</li>
`,
  )
  return html`<h2>Controls <span class="count">${controls.length}</span></h2>
${rowList(rows, 8)}`
}

/** A control, with its link into the report by control where its framework has a page. */
export function showControl(control: string, link: SiteLink): Markup {
  const [framework = '', ...rest] = control.split(':')
  const named = nameControl(control)
  if (!builtInFrameworkIds.some((id) => id === framework)) return html`${named}`
  return html`<a href="${link(paths.framework(framework))}#${anchorOf('control', rest.join(':'))}">${named}</a>`
}

/** `soc2:CC6.1` → `SOC 2 CC6.1`; a framework of the reader's own as it is. */
function nameControl(control: string): string {
  const [framework = '', ...id] = control.split(':')
  const name = (frameworkNames as Readonly<Record<string, string>>)[framework] // as: a framework may have any name
  return name === undefined ? control : `${name} ${id.join(':')}`
}

const frameworkNames = {
  soc2: 'SOC 2',
  iso27001: 'ISO 27001',
  'pci-dss': 'PCI DSS',
  'nist-csf': 'NIST CSF',
  'nist-800-53': 'NIST 800-53',
  cis: 'CIS',
  hipaa: 'HIPAA',
  dora: 'DORA',
  nis2: 'NIS2',
} satisfies Record<BuiltInFrameworkId, string>
