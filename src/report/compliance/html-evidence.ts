import type { ControlEvidence, ControlRule, ControlViolation, Exemption } from '../../compliance/compliance.ts'
import { showOpenTime } from '../../model/time.ts'
import { isAtLeast, isOpen, type Severity, severities } from '../../model/violation.ts'
import { count } from '../../text/count.ts'
import { type EvidenceGap, type EvidenceGapGroup, groupEvidenceGaps, nameGaps } from '../describe-failures.ts'
import { findingRow } from '../html/components/finding-row.ts'
import {
  anchorOf,
  fold,
  type ReportLinks,
  rowList,
  severityChip,
  resource as showResource,
} from '../html/components/parts.ts'
import { html, type Markup, nothing, withCode } from '../html/markup.ts'
import { shorten } from '../text/shorten.ts'
import { showTime } from '../text/show-time.ts'
import { describeEnds, describeState, isExempted } from './compliance-format.ts'
import { describeExemption } from './describe-exemption.ts'

/** A state as icon, word and colour, and what must be known with it. */
export function stateChip(control: ControlEvidence): Markup {
  return html`<span class="chip ${control.state}">${describeState(control)}</span>`
}

/** `35`. Where the run did not observe everything, there may be more: `at least 35`, and `?` for none. */
export function countOpen({ rules, violations, observations, coverage, state }: ControlEvidence): string {
  const open = violations.filter(isOpen).length - observations
  const isSure =
    coverage.gaps.length === 0 &&
    state !== 'not_assessed' &&
    rules.every(({ not_evaluated }) => not_evaluated.length === 0) &&
    violations.every((violation) => violation.state !== 'unknown')
  if (isSure) return String(open)
  return open === 0 ? '?' : `at least ${open}`
}

/** A control with all that the run has on it, what counts first. What an earlier control shows, it refers to. */
export function showEvidence(control: ControlEvidence, threshold: Severity, options: EvidenceOptions): Markup {
  const { id, title, reason, violations, exemptions, coverage, rules } = control
  const { first } = options
  const findings = (alike: readonly ControlViolation[]) => showFindings(control, alike, options)
  const open = violations.filter(isOpen)
  const [counted, observed] = [true, false].map((counts) =>
    open.filter(({ severity }) => isAtLeast(severity, threshold) === counts),
  )
  // Those that are open again, too.
  const solved = violations.filter((violation) => violation.state === 'resolved' && !isExempted(violation))
  const silent = rules.filter(({ not_evaluated }) => not_evaluated.length > 0)
  return html`<section class="control" aria-labelledby="${anchorOf('control', id)}"><h3 id="${anchorOf('control', id)}">${id} ${title} ${stateChip(control)}</h3>
<p>${reason} ${describeWalks(coverage)}</p>
${group('Gaps', coverage.gaps, (gaps) => showGaps(id, gaps, first))}${group('Rules not evaluated everywhere', silent, showSilent)}${group('Open', counted ?? [], findings)}${group(`Observations, below ${threshold}`, observed ?? [], findings)}${group(
  'Unknown',
  violations.filter(({ state }) => state === 'unknown'),
  findings,
)}${group('Exemptions', exemptions, (all) => showOfRules(id, all, { first, show: showExemption }))}${solved.length !== 0 && fold(html`${describeEnds({ violations: solved })}`, findings(solved))}${nameRules(control)}</section>
`
}

/** `see CC6.1`, which leads there. */
export function seeControl(control: string): Markup {
  return html`see <a href="#${anchorOf('control', control)}">${control}</a>`
}

/** Where the evidence is shown among other pages; a report that is one file has none. */
export interface EvidenceAnchors {
  /** How many violations of a state are shown under a control. */
  readonly most: number
  readonly links: ReportLinks
  rule(id: string): string
}

export interface EvidenceOptions {
  readonly first: FirstControls
  readonly anchors: EvidenceAnchors | undefined
}

/**
 * The control under which something is shown: the first that has it, in the order of the document. A rule or a walk gives
 * all of its controls the same evidence, so the others refer to that one.
 */
interface FirstControls {
  ofRule(id: string): string
  ofWalk(walk: Walk): string
}

type Walk = Pick<ControlEvidence['coverage']['gaps'][number], 'project' | 'listing'>

/** `controls`: in the order in which their evidence is shown. */
export function findFirstControls(controls: readonly ControlEvidence[]): FirstControls {
  const [byRule, byWalk] = [new Map<string, string>(), new Map<string, string>()]
  for (const { id, rules, exemptions, coverage } of controls) {
    // A rule that is off is not evaluated, and exempt all the same.
    const named = [...rules.map((rule) => rule.id), ...exemptions.map(({ rule }) => rule)]
    for (const rule of named) if (!byRule.has(rule)) byRule.set(rule, id)
    for (const gap of coverage.gaps) if (!byWalk.has(keyOf(gap))) byWalk.set(keyOf(gap), id)
  }
  return { ofRule: (id) => byRule.get(id) ?? '', ofWalk: (walk) => byWalk.get(keyOf(walk)) ?? '' }
}

function keyOf({ project, listing }: Walk): string {
  return JSON.stringify([project, listing])
}

/** Entries that a control shows itself, and those that it refers to, by the control that shows them. */
export function splitByControl<Entry>(
  entries: readonly Entry[],
  control: string,
  firstOf: (entry: Entry) => string,
): { readonly here: readonly Entry[]; readonly elsewhere: readonly (readonly [control: string, readonly Entry[]])[] } {
  const { here = [], elsewhere = [] } = Object.groupBy(entries, (entry) =>
    firstOf(entry) === control ? 'here' : 'elsewhere',
  )
  return { here, elsewhere: [...Map.groupBy(elsewhere, firstOf)] }
}

function nameRules({ id, rules }: ControlEvidence): Markup {
  if (rules.length === 0) return nothing
  return html`<p class="soft"><a href="#${anchorOf('rules', id)}">${count(rules.length, 'rule')} evaluated</a></p>
`
}

function showSilent(rules: readonly ControlRule[]): Markup {
  const rows = rules.flatMap(({ id, not_evaluated }) =>
    not_evaluated.map(
      ({ project, reason }) => html`<li class="unseen">? <code>${id}</code> in ${project}: ${reason}</li>
`,
    ),
  )
  return rowList(rows)
}

function showExemption(exemption: Exemption): Markup {
  const { rule, resource } = exemption
  const chip = resource?.severity ? html`${severityChip(resource.severity)} ` : nothing
  const where = resource !== null && html`<p class="where">${showResource(resource)}</p>`
  return html`<li data-rule="${rule}"><p>${chip}<code>${rule}</code> ${withCode(shorten(resource?.message ?? '', 2000))}</p>${where}<p class="where">${describeExemption(exemption)}</p></li>
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
  const { here, elsewhere } = splitByControl(gaps, control, first.ofWalk)
  const references = elsewhere.map(
    ([other, alike]) => html`<p class="where">${nameGaps(alike)}: ${seeControl(other)}</p>
`,
  )
  return html`${here.length !== 0 && rowList(groupEvidenceGaps(here).map(showGap))}${references}`
}

function showGap({ where, status, reason }: EvidenceGapGroup): Markup {
  return html`<li class="unseen">? ${where} <b class="bad">${status}</b>: ${reason}</li>
`
}

/** Exemptions: those of rules that an earlier control shows are counted. */
function showOfRules<Entry extends { readonly rule: string }>(
  control: string,
  entries: readonly Entry[],
  { first, show }: { readonly first: FirstControls; readonly show: (entry: Entry) => Markup },
): Markup {
  const { here, elsewhere } = splitByControl(entries, control, ({ rule }) => first.ofRule(rule))
  const references = elsewhere.map(
    ([other, alike]) => html`<p class="where">${alike.length} of these: ${seeControl(other)}</p>
`,
  )
  return html`${here.length !== 0 && rowList(here.map(show))}${references}`
}

/** Findings of one rule and severity, at least one. */
interface Group {
  readonly rule: string
  readonly title: string
  readonly findings: readonly ControlViolation[]
}

/** Findings of a control by rule, the worst first; those that an earlier control shows as a line that refers to it. */
function showFindings(
  { id, rules }: Pick<ControlEvidence, 'id' | 'rules'>,
  violations: readonly ControlViolation[],
  { first, anchors }: EvidenceOptions,
): Markup {
  const titles = new Map(rules.map((rule) => [rule.id, rule.title]))
  const { here, elsewhere } = splitByControl(groupsOf(violations, titles), id, ({ rule }) => first.ofRule(rule))
  const groups: Markup[] = []
  let remaining = anchors?.most ?? Number.POSITIVE_INFINITY
  for (const group of here) {
    const rows = group.findings.slice(0, Math.max(0, remaining)).map((finding) => showFinding(id, finding, anchors))
    remaining -= group.findings.length
    groups.push(showGroup(group, rows.length === 0 ? nothing : rowList(rows)))
  }
  return html`${groups}${remaining < 0 && describeOmitted(-remaining)}${showElsewhere(elsewhere)}`
}

function groupsOf(violations: readonly ControlViolation[], titles: ReadonlyMap<string, string>): Group[] {
  return severities.flatMap((severity) => {
    const alike = violations.filter((finding) => finding.severity === severity)
    return [...Map.groupBy(alike, ({ rule }) => rule)].map(([rule, findings]) => {
      return { rule, title: titles.get(rule) ?? rule, findings }
    })
  })
}

function showGroup(group: Group, rows: Markup): Markup {
  return html`<div class="of-rule"><p>${nameGroup(group)}</p>
${rows}</div>
`
}

function showElsewhere(elsewhere: readonly (readonly [control: string, readonly Group[]])[]): Markup {
  if (elsewhere.length === 0) return nothing
  const lines = elsewhere.flatMap(([control, groups]) =>
    groups.map(
      (group) => html`<li>${nameGroup(group)}: ${seeControl(control)}</li>
`,
    ),
  )
  return html`<ul class="elsewhere">
${lines}</ul>
`
}

function nameGroup({ rule, title, findings }: Group): Markup {
  const [worst] = findings
  const chip = worst !== undefined && html`${severityChip(worst.severity)} `
  return html`${chip}<b>${title}</b> <code>${rule}</code> <span class="count">${findings.length}</span>`
}

function describeOmitted(omitted: number): Markup {
  return html`<p class="soft">${omitted} more are not shown here: the report of the command line has all.</p>
`
}

const ages = {
  opened: 'open for',
  continuing: 'open for',
  unknown: 'unknown after',
  waived: 'waived after',
  resolved: 'ended after',
} as const satisfies Record<ControlViolation['state'], string>

function showFinding(control: string, finding: ControlViolation, anchors: EvidenceAnchors | undefined): Markup {
  const { fingerprint, state, resolution, first_seen, resolved_at, open_ms } = finding
  const end = resolved_at === undefined ? ages[state] : `${resolution ?? 'ended'} ${showTime(resolved_at)} after`
  const age = `since ${showTime(first_seen)}, ${end} ${showOpenTime(open_ms)}`
  return findingRow(finding, {
    // It may have ended several times in a period.
    anchor: anchorOf(`v-${fingerprint}`, resolved_at === undefined ? control : `${control} ${resolved_at}`),
    age,
    isNamed: false,
    links: anchors?.links,
  })
}
