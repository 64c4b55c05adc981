import type { Compliance, CompliancePeriod, ControlEvidence, ControlState } from '../../compliance/compliance.ts'
import { count } from '../../text/count.ts'
import { anchorOf } from '../html/anchors.ts'
import { command } from '../html/components/command.ts'
import { factList } from '../html/components/facts.ts'
import { rowList } from '../html/components/fold.ts'
import { cell, table } from '../html/components/table.ts'
import { verdictBanner } from '../html/components/verdict-banner.ts'
import { html, type Markup } from '../html/markup.ts'
import { type PageSection, renderPage } from '../html/render-page.ts'
import { showTime } from '../text/show-time.ts'
import { type ComplianceFormat, countStates, describeReplay, stateNames } from './compliance-format.ts'
import type { EvidencePlaces } from './evidence-options.ts'
import { findFirstControls } from './first-controls.ts'
import { countOpen, showEvidence, stateChip } from './html-evidence.ts'
import { showOpenTime } from './show-open-time.ts'

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

/** Period and run, and on paper a line for the name of the company, which hookdrift does not know. */
export function coverLine({ period, run }: Compliance): Markup {
  const over = period === undefined ? 'As' : `Period ${showTime(period.from)} to ${showTime(period.to)} · as`
  return html`<p class="meta">${over} of run ${run.number}, ${showTime(run.started_at)}<span class="blank">Company</span></p>
`
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
        : `${counts.met} of ${count(covered, 'control')} with evidence ${counts.met === 1 ? 'is' : 'are'} met.`,
    numbers: assessed.map((state) => ({
      value: String(counts[state]),
      label: stateNames[state],
      delta: [],
      mark: state,
    })),
    facts: [
      ...(counts.not_covered === 0 ? [] : [`${counts.not_covered} more are not covered by hookdrift`]),
      'Evidence for an assessment, not an assessment: “met” covers only what hookdrift observes.',
    ],
  })
}

/** The summary, the evidence, what is missing first, and the appendices. */
export function complianceSections(compliance: Compliance, places?: EvidencePlaces): PageSection[] {
  const { controls, period } = compliance
  const replayed = describeReplay(compliance)
  const left = controls.filter(({ state }) => state === 'not_covered')
  const inOrder = assessed.map((name) => [name, controls.filter(({ state }) => state === name)] as const)
  const first = findFirstControls(inOrder.flatMap(([, alike]) => alike))
  const evidence = inOrder.flatMap(([name, alike]) => {
    if (alike.length === 0) return []
    const title = `${stateNames[name].slice(0, 1).toUpperCase()}${stateNames[name].slice(1)}`
    return [
      {
        id: name,
        title,
        count: alike.length,
        content: html`${alike.map((control) => showEvidence(control, { first, places }))}`,
      },
    ]
  })
  return [
    ...(replayed.length === 0
      ? []
      : [{ id: 'replayed', title: 'Replayed', content: html`${replayed.map((text) => html`<p>${text}</p>`)}` }]),
    { id: 'controls', title: 'Summary', content: showSummary(controls) },
    ...(period === undefined ? [] : [{ id: 'period', title: 'Period', content: showPeriod(period) }]),
    ...evidence,
    ...(left.length === 0
      ? []
      : [
          {
            id: 'not_covered',
            title: 'Appendix: not covered by hookdrift',
            count: left.length,
            content: showLeft(left),
          },
        ]),
    { id: 'origin', title: 'Appendix: origin and signature', content: showOrigin(compliance) },
  ]
}

const columns = [
  { title: 'Control' },
  { title: 'Title', isText: true },
  { title: 'State', isText: true },
  ...['Open', 'Waived', 'Accepted', 'Resolved'].map((title) => ({ title, isNumber: true })),
]

function showSummary(controls: readonly ControlEvidence[]): Markup {
  const covered = controls.filter(({ state }) => state !== 'not_covered')
  return table('Controls and their states', columns, covered.map(showRow))
}

function showRow(control: ControlEvidence): Markup {
  const { id, title, state, reason, violations, accepted } = control
  const open = countOpen(control)
  const inState = (name: string) => violations.filter((violation) => violation.state === name).length
  return html`<tr data-control="${id}" data-state="${state}"><th scope="row"><a href="#${anchorOf('control', id)}">${id}</a></th>${cell('Title', title)}${cell('State', html`${stateChip(state)}<br><span class="soft">${reason}</span>`)}${cell('Open', open, open === '?' ? 'n unseen' : 'n')}${cell('Waived', inState('waived'), 'n')}${cell('Accepted', accepted.length, 'n')}${cell('Resolved', inState('resolved'), 'n')}</tr>
`
}

function showLeft(left: readonly ControlEvidence[]): Markup {
  const rows = left.map(
    ({ id, title }) => html`<li data-control="${id}" data-state="not_covered"><b>${id}</b> ${title}</li>
`,
  )
  return html`<p>No rule gives evidence for them, which is not a verdict.</p>
${rowList(rows, rows.length)}`
}

function showPeriod({ from, to, runs, interrupted, incomplete, longest_gap }: CompliancePeriod): Markup {
  const gaps = incomplete.map(
    ({ run, at, walks }) => html`<li>Run ${run}, ${showTime(at)}: ${count(walks, 'walk')} not complete</li>
`,
  )
  return html`${factList([
    ['From', showTime(from)],
    ['To', showTime(to)],
    ['Runs', `${runs}, ${interrupted} more were interrupted`],
    [
      'Longest time between runs',
      `${showOpenTime(longest_gap.ms)}, ${showTime(longest_gap.from)} to ${showTime(longest_gap.to)}`,
    ],
    ['Runs with incomplete walks', String(incomplete.length)],
  ])}${rowList(gaps)}`
}

function showOrigin({ run, digests, verify }: Compliance): Markup {
  const sign = ['Company', 'Reviewed by, signature', 'Date'].map((what) => html`<p>${what}</p>`)
  return html`${factList([
    ['Run', `${run.number}, ${showTime(run.started_at)}`],
    ['Policy', html`<code>${digests.policy}</code>`],
    ['Configuration', html`<code>${digests.configuration}</code>`],
    ['Chain', digests.chain === null ? 'none: the run is older than the chain' : html`<code>${digests.chain}</code>`],
    ['To verify it', command(verify.split(' '))],
  ])}<div class="sign">${sign}</div>
`
}
