import type { ControlEvidence, ControlState, ControlViolation } from '../../compliance/compliance.ts'
import { formatExpiry } from '../../model/format-expiry.ts'
import { isOpen } from '../../model/violation.ts'
import { count } from '../../text/count.ts'
import { anchorOf } from '../html/anchors.ts'
import { acceptedRow } from '../html/components/finding-row.ts'
import { fold, rowList } from '../html/components/fold.ts'
import { html, type Markup, nothing } from '../html/markup.ts'
import { showCount } from '../html/scan-extent.ts'
import { stateNames } from './compliance-format.ts'
import type { EvidenceOptions } from './evidence-options.ts'
import { type FirstControls, splitByControl } from './first-controls.ts'
import { type EvidenceGap, type GapGroup, groupGaps, nameGaps } from './group-gaps.ts'
import { seeControl, showFindings } from './html-findings.ts'
import { showRules } from './html-rules.ts'

/** A state as icon, word and colour. */
export function stateChip(state: ControlState): Markup {
  return html`<span class="chip ${state}">${stateNames[state]}</span>`
}

/** `35`. Where walks are not complete or nothing was assessed, there may be more: `35+`, and `?` for none. */
export function countOpen({
  violations,
  coverage,
  state,
}: Pick<ControlEvidence, 'violations' | 'coverage' | 'state'>): string {
  const open = violations.filter(isOpen).length
  return showCount(open, coverage.gaps.length === 0 && state !== 'not_assessed' ? 'all' : 'some')
}

/**
 * A control with all that the run has on it: violations and gaps first, then waivers and rules. What an earlier control
 * shows, it refers to.
 */
export function showEvidence(control: ControlEvidence, options: EvidenceOptions): Markup {
  const { id, title, state, reason, violations, waivers, accepted, coverage } = control
  const { first } = options
  const ofState = (...states: string[]) => violations.filter((violation) => states.includes(violation.state))
  const findings = (found: readonly ControlViolation[]) => showFindings(control, found, options)
  const resolved = ofState('resolved')
  return html`<section class="control" aria-labelledby="${anchorOf('control', id)}"><h3 id="${anchorOf('control', id)}">${id} ${title} ${stateChip(state)}</h3>
<p>${reason} ${describeWalks(coverage)}</p>
${group('Gaps', coverage.gaps, (gaps) => showGaps(id, gaps, first))}${group('Open', ofState('opened', 'continuing'), findings)}${group('Unknown', ofState('unknown'), findings)}${group('Waived', ofState('waived'), findings)}${group('Waivers', waivers, (all) => showOfRules(id, all, { first, show: showWaiver }))}${group('Accepted', accepted, (all) => showOfRules(id, all, { first, show: (one) => acceptedRow(one, id) }))}${resolved.length === 0 ? nothing : fold(html`${count(resolved.length, 'violation')} resolved`, findings(resolved))}${showRules(control, options)}</section>
`
}

function describeWalks({ walks, complete, items, pages }: ControlEvidence['coverage']): string {
  const read = pages === 0 ? 'nothing was read' : `${count(items, 'item')} in ${count(pages, 'page')}`
  if (walks === 0) return 'Its rules read no listing.'
  if (walks === 1) return `The walk that its rules need is ${complete === 1 ? '' : 'not '}complete: ${read}.`
  const which = complete === walks ? `All ${walks} walks` : `${complete} of the ${walks} walks`
  return `${which} that its rules need are complete: ${read}.`
}

function group<Entry>(title: string, entries: readonly Entry[], show: (entries: readonly Entry[]) => Markup): Markup {
  return entries.length === 0
    ? nothing
    : html`<h4>${title}: ${entries.length}</h4>
${show(entries)}`
}

function showGaps(control: string, gaps: readonly EvidenceGap[], first: FirstControls): Markup {
  const { own, elsewhere } = splitByControl(gaps, control, first.ofWalk)
  const known = elsewhere.map(
    ([other, alike]) => html`<p class="where">${nameGaps(alike)}: ${seeControl(other)}</p>
`,
  )
  return html`${own.length === 0 ? nothing : rowList(groupGaps(own).map(showGap))}${known}`
}

function showGap({ where, status, reason }: GapGroup): Markup {
  return html`<li class="unseen">? ${where} <b class="bad">${status}</b>: ${reason}</li>
`
}

/** Waivers and acceptances: those of rules that an earlier control shows are counted. */
function showOfRules<Entry extends { readonly rule: string }>(
  control: string,
  entries: readonly Entry[],
  { first, show }: { readonly first: FirstControls; readonly show: (entry: Entry) => Markup },
): Markup {
  const { own, elsewhere } = splitByControl(entries, control, ({ rule }) => first.ofRule(rule))
  const known = elsewhere.map(
    ([other, alike]) => html`<p class="where">${alike.length} of these: ${seeControl(other)}</p>
`,
  )
  return html`${own.length === 0 ? nothing : rowList(own.map(show))}${known}`
}

function showWaiver({ rule, owner, reason, expires, ticket, violations }: ControlEvidence['waivers'][number]): Markup {
  const followedUp = ticket === undefined ? '' : ` (${ticket})`
  return html`<li><code>${rule}</code>: ${count(violations, 'violation')} accepted by ${owner} until ${formatExpiry(expires)}: ${reason}${followedUp}</li>
`
}
