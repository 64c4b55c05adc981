import type { ControlEvidence, ControlState, ControlViolation } from '../../compliance/compliance.ts'
import { formatExpiry } from '../../model/format-expiry.ts'
import { isOpen } from '../../model/violation.ts'
import { count } from '../../text/count.ts'
import { anchorOf } from '../html/anchors.ts'
import { acceptedRow, findingRow } from '../html/components/finding-row.ts'
import { fold, rowList } from '../html/components/fold.ts'
import { cell, table } from '../html/components/table.ts'
import { html, type Markup, nothing } from '../html/markup.ts'
import { showCount } from '../html/scan-extent.ts'
import { showTime } from '../text/show-time.ts'
import { stateNames } from './compliance-format.ts'
import { showOpenTime } from './show-open-time.ts'

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

/** Where the evidence is shown: on a page of its own, or among others. */
export interface EvidencePlaces {
  /** How many violations of a state are shown. */
  readonly most: number
  violation(fingerprint: string): string
  rule(id: string): string
}

/** A control with all that the run has on it: violations and gaps first, then waivers and rules. */
export function showEvidence(control: ControlEvidence, places?: EvidencePlaces): Markup {
  const { id, title, state, reason, violations, waivers, accepted, coverage } = control
  const ofState = (...states: string[]) => violations.filter((violation) => states.includes(violation.state))
  const rows = (found: readonly ControlViolation[]) =>
    html`${rowList(found.slice(0, places?.most).map((violation) => showViolation(id, violation, places)))}${describeLeft(found.length - (places?.most ?? found.length))}`
  const resolved = ofState('resolved')
  return html`<section aria-labelledby="${anchorOf('control', id)}"><h3 id="${anchorOf('control', id)}">${id} ${title} ${stateChip(state)}</h3>
<p>${reason} ${describeWalks(coverage)}</p>
${group('Gaps', coverage.gaps.map(showGap), rowList)}${group('Open', ofState('opened', 'continuing'), rows)}${group('Unknown', ofState('unknown'), rows)}${group('Waived', ofState('waived'), rows)}${group('Waivers', waivers.map(showWaiver), rowList)}${group('Accepted', accepted, (all) => rowList(all.map((one) => acceptedRow(one, id))))}${resolved.length === 0 ? nothing : fold(html`${count(resolved.length, 'violation')} resolved`, rows(resolved))}${showRules(control, places)}</section>
`
}

function describeLeft(left: number): Markup {
  return left > 0
    ? html`<p class="soft">${left} more are not shown here: the report of the command line has all.</p>
`
    : nothing
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

function showGap({ project, listing, status, reason }: ControlEvidence['coverage']['gaps'][number]): Markup {
  return html`<li class="unseen">? ${project} ${listing} <b class="bad">${status}</b>: ${reason ?? 'no reason given'}</li>
`
}

function showWaiver({ rule, owner, reason, expires, ticket, violations }: ControlEvidence['waivers'][number]): Markup {
  const followedUp = ticket === undefined ? '' : ` (${ticket})`
  return html`<li><code>${rule}</code>: ${count(violations, 'violation')} accepted by ${owner} until ${formatExpiry(expires)}: ${reason}${followedUp}</li>
`
}

const ages = {
  opened: 'open for',
  continuing: 'open for',
  unknown: 'unknown after',
  waived: 'waived after',
  resolved: 'resolved after',
} as const satisfies Record<ControlViolation['state'], string>

function showViolation(control: string, violation: ControlViolation, places: EvidencePlaces | undefined): Markup {
  const { fingerprint, state, first_seen, resolved_at, open_ms } = violation
  const end = resolved_at === undefined ? ages[state] : `resolved ${showTime(resolved_at)} after`
  const age = `since ${showTime(first_seen)}, ${end} ${showOpenTime(open_ms)}`
  return findingRow(violation, {
    anchor: anchorOf(`v-${fingerprint}`, control),
    ...{ age, isNamed: true },
    ...(places && { href: places.violation(fingerprint) }),
  })
}

const columns = [{ title: 'Rule' }, { title: 'Finds' }, { title: 'Evaluated', isNumber: true }]

/** The rules that give evidence, with the reason why in front of all that share it. */
function showRules({ id, rules, state }: ControlEvidence, places: EvidencePlaces | undefined): Markup {
  if (rules.length === 0) return nothing
  const groups = [...Map.groupBy(rules, ({ rationale }) => rationale)].map(
    ([rationale, alike], at) => html`<p>${rationale}</p>
${table(
  `Rules for ${id}, ${at + 1}`,
  columns,
  alike.map((rule) => showRule(rule, places)),
)}`,
  )
  return fold(html`${count(rules.length, 'rule')} evaluated`, html`${groups}`, state === 'partially_assessed')
}

function showRule(
  { id, title, evaluated, not_evaluated }: ControlEvidence['rules'][number],
  places: EvidencePlaces | undefined,
): Markup {
  const missed = not_evaluated.map(
    ({ project, reason }) => html`<br><span class="bad">? not evaluated in ${project}: ${reason}</span>`,
  )
  const number =
    evaluated === 0 && missed.length > 0 ? cell('Evaluated', '?', 'n unseen') : cell('Evaluated', evaluated, 'n')
  const name =
    places === undefined ? html`<code>${id}</code>` : html`<a href="${places.rule(id)}"><code>${id}</code></a>`
  return html`<tr><th scope="row">${name}</th>${cell('Finds', html`<span>${title}${missed}</span>`)}${number}</tr>
`
}
