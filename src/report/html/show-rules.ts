import type { BuiltInFrameworkId } from '../../compliance/built-in-frameworks.ts'
import type { EvaluatedRule } from '../../model/evaluation.ts'
import type { Report, ReportViolation } from '../../model/report.ts'
import { type Severity, severities } from '../../model/violation.ts'
import { remediationFor } from '../remediation-for.ts'
import { showViolations } from './components/finding-row.ts'
import {
  anchorOf,
  command,
  fold,
  foldRest,
  type ReportLinks,
  remediation,
  rowList,
  severityChip,
} from './components/parts.ts'
import { html, type Markup, nothing } from './markup.ts'

/** Above this number of violations, fewer blocks are open and show fewer rows, so that the next section is near. */
const few = 60

/** Violations in blocks, one for each rule, with how to fix them. The first blocks are open. */
export function showRuleGroups(groups: readonly RuleGroup[], at: string, links?: ReportLinks): Markup {
  const total = groups.reduce((sum, { violations }) => sum + violations.length, 0)
  const [mostOpen, inFront] = total > few ? [8, 5] : [20, 20]
  return html`${groups.map((group, index) => {
    const rows = showViolations(group.violations, { at, isNamed: false, inFront, links })
    return showGroup(group, rows, index < mostOpen)
  })}`
}

/** A link to each rule, the worst first, with its number of violations. */
export function showRuleIndex(groups: readonly RuleGroup[]): Markup {
  const worstFirst = severities.flatMap((severity) => groups.filter((group) => group.severity === severity))
  const links = [...Map.groupBy(worstFirst, ({ id }) => id)].flatMap(([id, alike]) => {
    const [worst] = alike
    if (worst === undefined) return []
    const number = alike.reduce((sum, { violations }) => sum + violations.length, 0)
    return [
      html`<li><a href="#${anchorOf('rule', id)}">${worst.title}</a> <span class="chip ${worst.severity}">${number}</span></li>
`,
    ]
  })
  return rowList(links)
}

function showGroup(group: RuleGroup, rows: Markup, isOpenAtFirst: boolean): Markup {
  const { id, severity, title, violations, isFirst } = group
  const summary = html`<h3>${severityChip(severity)} ${title} <span class="count">${violations.length}</span></h3>`
  const block = fold(summary, html`${showRemediation(group)}${rows}${showMore(group)}`, isOpenAtFirst)
  return isFirst
    ? html`<div class="rule" id="${anchorOf('rule', id)}">${block}</div>
`
    : html`<div class="rule">${block}</div>
`
}

/** How to fix it. The first group of a rule says so, all others link to it. */
function showRemediation({ id, remediation: text, isFirst }: RuleGroup): Markup {
  if (!isFirst)
    return html`<p class="where"><a href="#${anchorOf('rule', id)}">How to fix</a></p>
`
  return text === '' ? nothing : remediation(text)
}

function showMore({ id, rule, isFirst }: RuleGroup): Markup {
  if (!isFirst) return nothing
  return html`<div class="where more">${command(['hookdrift', 'rules', id])}${showControls(rule?.controls ?? [])}</div>
`
}

function showControls(controls: readonly string[]): Markup {
  const [first, ...rest] = controls
  if (first === undefined) return nothing
  if (rest.length === 0) return html`<p>Control ${nameControl(first)}</p>`
  const all = html`<p>Controls: ${controls.map(nameControl).join(', ')}</p>
`
  return foldRest(`Controls: ${nameControl(first)} +${rest.length}`, all)
}

/** `soc2:CC6.1` → `SOC 2 CC6.1`; a framework of the reader's own as it is. */
export function nameControl(control: string): string {
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

/** Violations of one rule and severity. */
export interface RuleGroup {
  readonly id: string
  readonly severity: Severity
  readonly title: string
  /** undefined where the run did not record the rule. */
  readonly rule: EvaluatedRule | undefined
  /** Sorted by project. */
  readonly violations: readonly ReportViolation[]
  /** Whether it is the first group of its rule on the page: it has the anchor and the remediation. */
  readonly isFirst: boolean
  /** How to fix the violations of the rule in all lists; empty where the run did not record the rule. */
  readonly remediation: string
}

/** Groups for each list of violations, the worst first. Over all lists, each rule has one group that is its first. */
export function groupByRule(
  lists: readonly (readonly ReportViolation[])[],
  { rules }: Pick<Report, 'rules'>,
): readonly (readonly RuleGroup[])[] {
  const ruleById = new Map(rules.map((rule) => [rule.id, rule]))
  const ofRule = Map.groupBy(lists.flat(), ({ rule }) => rule)
  const seen = new Set<string>()
  return lists.map((violations) =>
    severities.flatMap((severity) => {
      const alike = violations.filter((violation) => violation.severity === severity)
      const byRule = [...Map.groupBy(alike, ({ rule }) => rule)].sort(([a], [b]) => (a < b ? -1 : 1))
      return byRule.map(([id, group]) => {
        const isFirst = !seen.has(id)
        seen.add(id)
        const rule = ruleById.get(id)
        const remediation = remediationFor(rule?.remediation ?? '', ofRule.get(id) ?? [])
        return {
          id,
          severity,
          title: rule?.title ?? id,
          rule,
          violations: group.toSorted(byProject),
          isFirst,
          remediation,
        }
      })
    }),
  )
}

function byProject(a: ReportViolation, b: ReportViolation): number {
  return a.project < b.project ? -1 : a.project > b.project ? 1 : 0
}
