import { type RuleInRun, worstOf } from '../../questions/read-rules.ts'
import { severityChip } from '../../report/html/components/severity.ts'
import { html, type Markup } from '../../report/html/markup.ts'

/** `medium`; `medium, some high` where options or overrides give open violations another severity than the rule has. */
export function showSeverity(rule: RuleInRun): Markup {
  const { severity, severities, open } = rule
  const own = severity === undefined ? html`<span class="soft">unknown</span>` : severityChip(severity)
  const worst = worstOf(rule)
  if (worst === undefined || worst === severity) return own
  return html`<span>${own}, ${severities[worst] === open ? 'all' : 'some'} ${severityChip(worst)}</span>`
}
