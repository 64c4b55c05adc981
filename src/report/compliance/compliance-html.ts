import type {
  Compliance,
  CompliancePeriod,
  ControlEvidence,
  ControlRule,
  ControlState,
  Exemption,
  ExpectedChange,
} from '../../compliance/compliance.ts'
import { formatExpiry, showOpenTime } from '../../model/time.ts'
import { count } from '../../text/count.ts'
import { anchorOf, command, factList, resource, rowList } from '../html/components/parts.ts'
import { cell, table } from '../html/components/table.ts'
import { verdictBanner } from '../html/components/verdict-banner.ts'
import { html, type Markup, nothing } from '../html/markup.ts'
import { type PageSection, renderPage } from '../html/render-page.ts'
import { showTime } from '../text/show-time.ts'
import { besidesOf, type ComplianceFormat, countStates, solvedOf, stateNames } from './compliance-format.ts'
import { describeExemption, type ExemptionGroup, groupExemptions } from './describe-exemption.ts'
import { aboutExpected, describeExpected, groupExpected } from './describe-expected.ts'
import { aboutTitles, describeEvidence, describeFleet, describeScope, nameLongestGap } from './describe-scope.ts'
import {
  countOpen,
  type EvidenceAnchors,
  type EvidenceOptions,
  findFirstControls,
  seeControl,
  showEvidence,
  splitByControl,
  stateChip,
} from './html-evidence.ts'

/** A document for an auditor: the verdict and a summary, the evidence, what is missing first, and appendices. */
export const complianceHtml: ComplianceFormat = (compliance) => {
  const { title, tool } = compliance
  return renderPage({
    title: complianceName(compliance),
    heading: html`<p class="meta">Evidence from webhook configuration by ${tool.name} ${tool.version}</p>
<h1>${title}</h1>
${coverLine(compliance)}`,
    verdict: complianceVerdict(compliance),
    sections: complianceSections(compliance),
    footer: factList([['Made by', `${tool.name} ${tool.version}`]]),
  })
}

/** Framework, period and run: the title of a window, and the head of every printed page. */
export function complianceName({ title, period, run }: Compliance): string {
  return period === undefined
    ? `${title}, run ${run.number}, ${showTime(run.started_at)}`
    : `${title}, ${showTime(period.from)} to ${showTime(period.to)}, run ${run.number}`
}

/** Evidence and period, run, and the company: on paper a line to write on, where the configuration does not name it. */
export function coverLine(compliance: Compliance): Markup {
  const { period, run, scope } = compliance
  const fleet = describeFleet(compliance)
  const over = period === undefined ? 'As' : `Period ${showTime(period.from)} to ${showTime(period.to)} · as`
  const company = scope.company === null ? html`<span class="blank">Company</span>` : html` · ${scope.company}`
  return html`${
    period !== undefined &&
    html`<p><b>${describeEvidence(period)}</b></p>
`
  }<p class="meta">${over} of run ${run.number}, ${showTime(run.started_at)}${company}</p>
${
  fleet !== undefined &&
  html`<p><b class="bad">${fleet}</b></p>
`
}`
}

/** In the order of the evidence: what is missing comes first. */
const assessed = ['not_met', 'partially_assessed', 'not_assessed', 'met'] as const satisfies readonly ControlState[]

/** The verdict, and how many controls are in each state. */
export function complianceVerdict(compliance: Compliance): Markup {
  const counts = countStates(compliance)
  const worst = assessed.find((state) => counts[state] > 0)
  const covered = assessed.reduce((sum, state) => sum + counts[state], 0)
  const outcome = worst === 'not_met' ? 'failed' : worst === 'met' ? 'passed' : 'unknown'
  return verdictBanner({
    outcome,
    word: stateNames[worst ?? 'not_assessed'],
    sentence:
      counts.not_assessed === covered
        ? `None of ${count(covered, 'control')} with evidence could be assessed.`
        : `${counts.met} of ${count(covered, 'control')} with evidence ${counts.met === 1 ? 'is' : 'are'} met${describeQualified(compliance)}.`,
    numbers: assessed.map((state) => ({
      value: String(counts[state]),
      label: stateNames[state],
      delta: [],
      mark: state,
    })),
    facts: [
      ...(counts.not_covered === 0 ? [] : [`${counts.not_covered} more are not covered by hookdrift`]),
      'This is evidence for an assessment, not the assessment itself: “met” covers only what hookdrift observes.',
    ],
  })
}

/** `, 2 of them with exemptions or observations`; empty where every met control is met plainly. */
function describeQualified({ controls }: Compliance): string {
  const qualified = controls.filter((control) => besidesOf(control) !== '').length
  return qualified === 0 ? '' : `, ${qualified} with exemptions or observations`
}

/** Scope and summary, the evidence, what is missing first, and the appendices. */
export function complianceSections(compliance: Compliance, anchors?: EvidenceAnchors): PageSection[] {
  const { controls, period, expected_changes } = compliance
  const notCovered = controls.filter(({ state }) => state === 'not_covered')
  const inOrder = assessed.map((name) => [name, controls.filter(({ state }) => state === name)] as const)
  const covered = inOrder.flatMap(([, alike]) => alike)
  const first = findFirstControls(covered)
  const exemptions = groupExemptions(controls)
  const evidence = inOrder.flatMap(([name, alike]) => {
    if (alike.length === 0) return []
    const title = `${stateNames[name].slice(0, 1).toUpperCase()}${stateNames[name].slice(1)}`
    return [
      {
        id: name,
        title,
        count: alike.length,
        content: html`${alike.map((control) => showEvidence(control, compliance.threshold, { first, anchors }))}`,
      },
    ]
  })
  return [
    { id: 'scope', title: 'Scope', content: factList(describeScope(compliance)) },
    { id: 'controls', title: 'Summary', content: showSummary(controls) },
    ...(period === undefined ? [] : [{ id: 'period', title: 'Period', content: showPeriod(period) }]),
    ...(exemptions.length === 0
      ? []
      : [{ id: 'exemptions', title: 'Exemptions', count: exemptions.length, content: showExemptions(exemptions) }]),
    ...(expected_changes.length === 0 ? [] : [expectedSection(expected_changes)]),
    ...evidence,
    ...(covered.length === 0
      ? []
      : [
          {
            id: 'rules',
            title: 'Appendix: rules evaluated',
            content: html`${covered.map((control) => showRules(control, { first, anchors }))}`,
          },
        ]),
    ...(notCovered.length === 0
      ? []
      : [
          {
            id: 'not_covered',
            title: 'Appendix: not covered by hookdrift',
            count: notCovered.length,
            content: showNotCovered(notCovered),
          },
        ]),
    { id: 'origin', title: 'Appendix: origin and signature', content: showOrigin(compliance) },
  ]
}

const columns = [
  { title: 'Control' },
  { title: 'Title', isText: true },
  { title: 'State', isText: true },
  ...['Open', 'Observations', 'Exempted', 'Fixed'].map((title) => ({ title, isNumber: true })),
]

function showSummary(controls: readonly ControlEvidence[]): Markup {
  const covered = controls.filter(({ state }) => state !== 'not_covered')
  return html`${table('Controls and their states', columns, covered.map(showRow))}<p class="soft">${aboutTitles} Open: open violations that decide. Observations: those below the threshold. Exempted: violations and rules that do not count, because a person or the policy decided so. Fixed: violations that are gone.</p>
`
}

function showRow(control: ControlEvidence): Markup {
  const { id, title, state, reason, exemptions, observations } = control
  const open = countOpen(control)
  return html`<tr data-control="${id}" data-state="${state}"><th scope="row"><a href="#${anchorOf('control', id)}">${id}</a></th>${cell('Title', title)}${cell('State', html`${stateChip(control)}<br><span class="soft">${reason}</span>`)}${cell('Open', open, open === '?' ? 'n unseen' : 'n')}${cell('Observations', observations, 'n')}${cell('Exempted', exemptions.length, 'n')}${cell('Fixed', solvedOf(control).length, 'n')}</tr>
`
}

const exemptionColumns = [
  { title: 'Rule' },
  { title: 'What is exempt', isText: true },
  { title: 'Who and why', isText: true },
  { title: 'Until' },
  { title: 'Controls' },
]

/** Each decision once: what does not count, who decided so, and why. */
function showExemptions(groups: readonly ExemptionGroup[]): Markup {
  const rows = groups.map(
    ({
      exemption,
      resources,
      controls,
    }) => html`<tr><th scope="row"><code>${exemption.rule}</code></th>${cell('What is exempt', showExempt(exemption, resources))}${cell('Who and why', describeExemption(exemption))}${cell('Until', exemption.until === null ? 'no end' : formatExpiry(exemption.until))}${cell('Controls', html`${controls.map((id, at) => html`${at !== 0 && ', '}<a href="#${anchorOf('control', id)}">${id}</a>`)}`)}</tr>
`,
  )
  return html`<p>What does not count against a control, because a person or the policy decided so.</p>
${table('Exemptions', exemptionColumns, rows)}`
}

/** Changes within change windows, by window and ticket. */
function expectedSection(expected: readonly ExpectedChange[]): PageSection {
  const groups = groupExpected(expected).map(({ title, changes }) => {
    const rows = changes.map(
      (
        change,
      ) => html`<li><b class="change">${change.change}</b> ${resource(change)}<br><span class="soft">${describeExpected(change)}</span></li>
`,
    )
    return html`<h3>${title}</h3>
${rowList(rows)}`
  })
  const content = html`<p>${aboutExpected}</p>
${groups}`
  return { id: 'expected', title: 'Changes within change windows', count: expected.length, content }
}

const mostExempt = 5

function showExempt({ fingerprint, match }: Exemption, resources: ExemptionGroup['resources']): Markup {
  if (resources.length === 0)
    return fingerprint === null
      ? html`the rule, for ${match ?? 'every resource'}`
      : html`what an earlier run of the period found`
  const named = resources
    .slice(0, mostExempt)
    .map(
      ({ project, kind, uid, name }, at) =>
        html`${at !== 0 && html`<br>`}${project} ${kind} ${name === '' ? uid : name}`,
    )
  const more = resources.length - named.length
  return html`${count(resources.length, 'violation')}:<br>${named}${more > 0 && html`<br>and ${more} more, under the controls`}`
}

function showNotCovered(controls: readonly ControlEvidence[]): Markup {
  const rows = controls.map(
    ({ id, title }) => html`<li data-control="${id}" data-state="not_covered"><b>${id}</b> ${title}</li>
`,
  )
  return html`<p>No rule gives evidence for them, which is not a verdict.</p>
${rowList(rows, rows.length)}`
}

function showPeriod(period: CompliancePeriod): Markup {
  const { from, to, runs, interrupted, incomplete, longest_gap, most_gap_ms, gaps } = period
  const rows = incomplete.map(
    ({ run, at, walks }) => html`<li>Run ${run}, ${showTime(at)}: ${count(walks, 'walk')} not complete</li>
`,
  )
  return html`${factList([
    ['From', showTime(from)],
    ['To', showTime(to)],
    ['Evidence', describeEvidence(period)],
    ['Runs', `${count(runs, 'run')}, ${interrupted === 0 ? 'none' : interrupted} interrupted`],
    [
      nameLongestGap(period),
      `${showOpenTime(longest_gap.ms)}, ${showTime(longest_gap.from)} to ${showTime(longest_gap.to)}`,
    ],
    [`Times without a run for more than ${showOpenTime(most_gap_ms)}`, String(gaps)],
    ['Runs with incomplete walks', String(incomplete.length)],
  ])}${rowList(rows)}`
}

function showOrigin({ run, digests, verify, scope }: Compliance): Markup {
  const sign = [scope.company ?? 'Company', 'Reviewed by, signature', 'Date'].map((what) => html`<p>${what}</p>`)
  return html`${factList([
    ['Run', `${run.number}, ${showTime(run.started_at)}`],
    ['Policy', html`<code>${digests.policy}</code>`],
    ['Configuration', html`<code>${digests.configuration}</code>`],
    ['Chain', digests.chain === null ? 'none: the run is older than the chain' : html`<code>${digests.chain}</code>`],
    ['To verify it', command(verify.split(' '))],
  ])}<div class="sign">${sign}</div>
`
}

const ruleColumns = [{ title: 'Rule' }, { title: 'Finds' }, { title: 'Evaluated', isNumber: true }]

/**
 * The rules that give evidence, with the reason why in front of all that share it. Those that an earlier control shows are
 * only named.
 */
function showRules({ id, title, rules }: ControlEvidence, { first, anchors }: EvidenceOptions): Markup {
  if (rules.length === 0) return nothing
  const groups = [...Map.groupBy(rules, ({ rationale }) => rationale)].map(([rationale, alike], at) => {
    const { here, elsewhere } = splitByControl(alike, id, (rule) => first.ofRule(rule.id))
    const rows = here.map((rule) => showRule(rule, anchors))
    const named = elsewhere.map(
      ([
        control,
        listed,
      ]) => html`<p class="where">${listed.map((rule, nth) => html`${nth !== 0 && ', '}${nameRule(rule, anchors)}`)}: ${seeControl(control)}</p>
`,
    )
    return html`<p>${rationale}</p>
${rows.length !== 0 && table(`Rules for ${id}, ${at + 1}`, ruleColumns, rows)}${named}`
  })
  return html`<section class="control" aria-labelledby="${anchorOf('rules', id)}"><h3 id="${anchorOf('rules', id)}">${id} ${title}: ${count(rules.length, 'rule')}</h3>
${groups}</section>
`
}

function nameRule({ id }: ControlRule, anchors: EvidenceAnchors | undefined): Markup {
  return anchors === undefined ? html`<code>${id}</code>` : html`<a href="${anchors.rule(id)}"><code>${id}</code></a>`
}

function showRule(rule: ControlRule, anchors: EvidenceAnchors | undefined): Markup {
  const { title, evaluated, not_evaluated } = rule
  const missed = not_evaluated.map(
    ({ project, reason }) => html`<br><span class="bad">? not evaluated in ${project}: ${reason}</span>`,
  )
  const number =
    evaluated === 0 && missed.length > 0 ? cell('Evaluated', '?', 'n unseen') : cell('Evaluated', evaluated, 'n')
  return html`<tr><th scope="row">${nameRule(rule, anchors)}</th>${cell('Finds', html`${title}${missed}`)}${number}</tr>
`
}
