import type { ControlEvidence, ControlRule } from '../../compliance/compliance.ts'
import { count } from '../../text/count.ts'
import { anchorOf } from '../html/anchors.ts'
import { cell, table } from '../html/components/table.ts'
import { html, type Markup, nothing } from '../html/markup.ts'
import type { EvidenceOptions, EvidencePlaces } from './evidence-options.ts'
import { splitByControl } from './first-controls.ts'
import { seeControl } from './html-findings.ts'

const columns = [{ title: 'Rule' }, { title: 'Finds' }, { title: 'Evaluated', isNumber: true }]

/**
 * The rules that give evidence, with the reason why in front of all that share it. Those that an earlier control shows are
 * only named.
 */
export function showRules({ id, title, rules }: ControlEvidence, { first, places }: EvidenceOptions): Markup {
  if (rules.length === 0) return nothing
  const groups = [...Map.groupBy(rules, ({ rationale }) => rationale)].map(([rationale, alike], at) => {
    const { own, elsewhere } = splitByControl(alike, id, (rule) => first.ofRule(rule.id))
    const rows = own.map((rule) => showRule(rule, places))
    const named = elsewhere.map(
      ([
        control,
        known,
      ]) => html`<p class="where">${known.map((rule, nth) => html`${nth === 0 ? '' : ', '}${nameRule(rule, places)}`)}: ${seeControl(control)}</p>
`,
    )
    return html`<p>${rationale}</p>
${rows.length === 0 ? nothing : table(`Rules for ${id}, ${at + 1}`, columns, rows)}${named}`
  })
  return html`<section class="control" aria-labelledby="${anchorOf('rules', id)}"><h3 id="${anchorOf('rules', id)}">${id} ${title}: ${count(rules.length, 'rule')}</h3>
${groups}</section>
`
}

function nameRule({ id }: ControlRule, places: EvidencePlaces | undefined): Markup {
  return places === undefined ? html`<code>${id}</code>` : html`<a href="${places.rule(id)}"><code>${id}</code></a>`
}

function showRule(rule: ControlRule, places: EvidencePlaces | undefined): Markup {
  const { title, evaluated, not_evaluated } = rule
  const missed = not_evaluated.map(
    ({ project, reason }) => html`<br><span class="bad">? not evaluated in ${project}: ${reason}</span>`,
  )
  const number =
    evaluated === 0 && missed.length > 0 ? cell('Evaluated', '?', 'n unseen') : cell('Evaluated', evaluated, 'n')
  return html`<tr><th scope="row">${nameRule(rule, places)}</th>${cell('Finds', html`${title}${missed}`)}${number}</tr>
`
}
