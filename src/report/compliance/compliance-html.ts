import type {
  Compliance,
  CompliancePeriod,
  ControlEvidence,
  ControlState,
  ControlViolation,
} from '../../compliance/compliance.ts'
import { count } from '../../text/count.ts'
import { html, type Markup, nothing } from '../html/markup.ts'
import { renderPage } from '../html/render-page.ts'
import { showWho } from '../html/show-who.ts'
import { shorten } from '../text/shorten.ts'
import { showTime } from '../text/show-time.ts'
import { type ComplianceFormat, countStates, describeReplay, describeStates, stateNames } from './compliance-format.ts'
import { showOpenTime } from './show-open-time.ts'

/** One page for an auditor: every control with its state, then the evidence for each. */
export const complianceHtml: ComplianceFormat = (compliance) => {
  const { framework, title, run, controls, period } = compliance
  const covered = controls.filter(({ state }) => state !== 'not_covered')
  const counts = countStates(compliance)
  const replayed = describeReplay(compliance)
  return renderPage({
    title: `hookdrift ${framework}, run ${run.number}, ${showTime(run.started_at)}`,
    heading: `${title}: evidence from webhook configuration`,
    verdict: {
      text: `${describeStates(compliance)}.`,
      isGood: counts.not_met === 0 && counts.partially_assessed + counts.not_assessed === 0,
    },
    sections: [
      ...(replayed.length === 0 ? [] : [{ id: 'replayed', title: 'Replayed', content: showReplay(replayed) }]),
      { id: 'controls', title: 'Controls', content: showTable(compliance) },
      ...(period === undefined ? [] : [{ id: 'period', title: 'Period', content: showPeriod(period) }]),
      { id: 'evidence', title: 'Evidence', content: html`${covered.map(showControl)}` },
    ],
    footer: [
      ['Run', `${run.number}, ${showTime(run.started_at)}`],
      ['Policy', compliance.digests.policy],
      ['Configuration', compliance.digests.configuration],
      ['Chain', compliance.digests.chain ?? 'none: the run is older than the chain'],
      ['To verify it', compliance.verify],
    ],
    tool: compliance.tool,
  })
}

const marks = {
  not_met: 'bad',
  partially_assessed: 'high',
  not_assessed: 'high',
  met: 'good',
  not_covered: 'soft',
} as const satisfies Record<ControlState, string>

function showTable({ controls }: Compliance): Markup {
  const [covered, left] = [
    controls.filter(({ state }) => state !== 'not_covered'),
    controls.filter(({ state }) => state === 'not_covered'),
  ]
  const rows = covered.map(
    ({
      id,
      title,
      state,
      reason,
      rules,
      violations,
      waivers,
    }) => html`<tr data-control="${id}" data-state="${state}"><th scope="row"><a href="#control-${id}">${id}</a></th><td>${title}</td><td><span class="${marks[state]}">${stateNames[state]}</span><br><span class="soft">${reason}</span></td><td class="n">${rules.length}</td><td class="n">${violations.length}</td><td class="n">${waivers.length}</td></tr>
`,
  )
  const others = left.map(
    ({ id, title }) => html`<li data-control="${id}" data-state="not_covered"><b>${id}</b> ${title}</li>
`,
  )
  return html`<p>Evidence for an assessment, not an assessment: “met” covers only what hookdrift observes.</p>
<div class="wide" tabindex="0" role="region" aria-label="Controls and their states"><table><thead><tr><th scope="col">Control</th><th scope="col">Title</th><th scope="col">State</th><th scope="col" class="n">Rules</th><th scope="col" class="n">Violations</th><th scope="col" class="n">Waivers</th></tr></thead><tbody>
${rows}</tbody></table></div>
${
  left.length === 0
    ? nothing
    : html`<h3>Not covered by this tool: ${count(left.length, 'control')}</h3>
<p>No rule gives evidence for them, which is not a verdict.</p>
<ul class="columns">${others}</ul>
`
}`
}

function showControl({ id, title, state, reason, rules, violations, waivers, coverage }: ControlEvidence): Markup {
  const gaps = coverage.gaps.map(
    ({
      project,
      listing,
      status,
      reason: why,
    }) => html`<li>${project} ${listing} <span class="bad">${status}</span>: ${why ?? 'no reason given'}</li>
`,
  )
  const accepted = waivers.map(
    ({
      rule,
      owner,
      reason: why,
      expires,
      ticket,
      violations: number,
    }) => html`<li><code>${rule}</code>: ${count(number, 'violation')} accepted by ${owner} until ${showTime(expires)}: ${why}${ticket === undefined ? '' : ` (${ticket})`}</li>
`,
  )
  const evaluated = rules.map(
    (
      rule,
    ) => html`<tr><th scope="row"><code>${rule.id}</code></th><td>${rule.title}<br><span class="soft">${rule.rationale}</span></td><td class="n">${rule.evaluated}</td></tr>
`,
  )
  return html`<section aria-labelledby="control-${id}"><h3 id="control-${id}">${id} ${title}: <span class="${marks[state]}">${stateNames[state]}</span></h3>
<p>${reason} ${coverage.complete} of ${count(coverage.walks, 'walk')} complete, ${count(coverage.items, 'item')} in ${count(coverage.pages, 'page')}.</p>
${list('Gaps', gaps)}${list('Violations', violations.map(showViolation))}${list('Waivers', accepted)}<h4>Rules</h4>
<div class="wide" tabindex="0" role="region" aria-label="Rules for ${id}"><table><thead><tr><th scope="col">Rule</th><th scope="col">What it finds, and why it is evidence</th><th scope="col" class="n">Evaluated</th></tr></thead><tbody>
${evaluated}</tbody></table></div></section>
`
}

function list(title: string, entries: readonly Markup[]): Markup {
  return entries.length === 0
    ? nothing
    : html`<h4>${title}</h4>
<ul class="list">${entries}</ul>
`
}

function showViolation(violation: ControlViolation): Markup {
  const { fingerprint, rule, severity, project, state, message, first_seen, resolved_at, open_ms } = violation
  const end = resolved_at === undefined ? `${state} for` : `resolved ${showTime(resolved_at)} after`
  return html`<li data-fingerprint="${fingerprint}" data-rule="${rule}" data-severity="${severity}" data-project="${project}" data-state="${state}"><p><span class="${severity}">${severity}</span> <code>${rule}</code> ${shorten(message, 2000)}</p><p class="where">${showWho(violation)} · since ${showTime(first_seen)}, ${end} ${showOpenTime(open_ms)}</p></li>
`
}

function showReplay(sentences: readonly string[]): Markup {
  return html`${sentences.map(
    (text) => html`<p>${text}</p>
`,
  )}`
}

function showPeriod({ from, to, runs, interrupted, incomplete, longest_gap }: CompliancePeriod): Markup {
  const gaps = incomplete.map(
    ({ run, at, walks }) => html`<li>run ${run}, ${showTime(at)}: ${count(walks, 'walk')} not complete</li>
`,
  )
  return html`<dl class="facts"><dt>From</dt><dd>${showTime(from)}</dd><dt>To</dt><dd>${showTime(to)}</dd><dt>Runs</dt><dd>${runs}, ${interrupted} more were interrupted</dd>
<dt>Longest time between runs</dt><dd>${showOpenTime(longest_gap.ms)}, ${showTime(longest_gap.from)} to ${showTime(longest_gap.to)}</dd></dl>
${list('Runs with incomplete walks', gaps)}`
}
