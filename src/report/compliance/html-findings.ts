import type { ControlEvidence, ControlViolation } from '../../compliance/compliance.ts'
import { showOpenTime } from '../../model/time.ts'
import { severities } from '../../model/violation.ts'
import { anchorOf } from '../html/anchors.ts'
import { findingRow } from '../html/components/finding-row.ts'
import { rowList } from '../html/components/fold.ts'
import { severityChip } from '../html/components/severity.ts'
import { html, type Markup, nothing } from '../html/markup.ts'
import { showTime } from '../text/show-time.ts'
import type { EvidenceOptions, EvidencePlaces } from './evidence-options.ts'
import { splitByControl } from './first-controls.ts'

/** Findings of one rule and severity, at least one. */
interface Group {
  readonly rule: string
  readonly title: string
  readonly findings: readonly ControlViolation[]
}

/** Findings of a control by rule, the worst first; those that an earlier control shows as a line that refers to it. */
export function showFindings(
  { id, rules }: Pick<ControlEvidence, 'id' | 'rules'>,
  found: readonly ControlViolation[],
  { first, places }: EvidenceOptions,
): Markup {
  const titles = new Map(rules.map((rule) => [rule.id, rule.title]))
  const { own, elsewhere } = splitByControl(groupsOf(found, titles), id, ({ rule }) => first.ofRule(rule))
  const shown: Markup[] = []
  let left = places?.most ?? Number.POSITIVE_INFINITY
  for (const group of own) {
    const rows = group.findings.slice(0, Math.max(0, left)).map((finding) => showFinding(id, finding, places))
    left -= group.findings.length
    shown.push(showGroup(group, rows.length === 0 ? nothing : rowList(rows)))
  }
  return html`${shown}${left < 0 ? describeLeft(-left) : nothing}${showElsewhere(elsewhere)}`
}

function groupsOf(found: readonly ControlViolation[], titles: ReadonlyMap<string, string>): Group[] {
  return severities.flatMap((severity) => {
    const alike = found.filter((finding) => finding.severity === severity)
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
  const chip = worst === undefined ? nothing : html`${severityChip(worst.severity)} `
  return html`${chip}<b>${title}</b> <code>${rule}</code> <span class="count">${findings.length}</span>`
}

/** `see CC6.1`, which leads there. */
export function seeControl(control: string): Markup {
  return html`see <a href="#${anchorOf('control', control)}">${control}</a>`
}

function describeLeft(left: number): Markup {
  return html`<p class="soft">${left} more are not shown here: the report of the command line has all.</p>
`
}

const ages = {
  opened: 'open for',
  continuing: 'open for',
  unknown: 'unknown after',
  waived: 'waived after',
  resolved: 'ended after',
} as const satisfies Record<ControlViolation['state'], string>

function showFinding(control: string, finding: ControlViolation, places: EvidencePlaces | undefined): Markup {
  const { fingerprint, state, resolution, first_seen, resolved_at, open_ms } = finding
  const end = resolved_at === undefined ? ages[state] : `${resolution ?? 'ended'} ${showTime(resolved_at)} after`
  const age = `since ${showTime(first_seen)}, ${end} ${showOpenTime(open_ms)}`
  return findingRow(finding, {
    anchor: anchorOf(`v-${fingerprint}`, control),
    age,
    isNamed: false,
    links: places?.links,
  })
}
