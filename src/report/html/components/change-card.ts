import type { ChangeType, FieldChange } from '../../../model/change.ts'
import type { ReportChange, ReportViolation } from '../../../model/report.ts'
import { count } from '../../../text/count.ts'
import { anchorOf } from '../anchors.ts'
import { html, type Markup, nothing } from '../markup.ts'
import { fieldValues } from './field-values.ts'
import { resource } from './resource.ts'
import { secretChange } from './secret-change.ts'
import { cell, table } from './table.ts'

const marks = { added: '+', removed: '−', modified: '~' } as const satisfies Record<ChangeType, string>

interface CardOptions {
  /** Its page. */
  readonly href?: string | undefined
  /** What people did while it came about. */
  readonly meanwhile?: Markup
}

/** A changed resource: its fields before and after, and the violations that were opened with it. */
export function changeCard(
  change: ReportChange,
  opened: readonly ReportViolation[],
  { href, meanwhile = nothing }: CardOptions = {},
): Markup {
  const { change: type, project, fields } = change
  return html`<li class="${type}" data-project="${project}" data-change="${type}"><p><b class="change">${marks[type]} ${type}</b> ${resource(change, href)}</p>
${fieldTable(fields)}${showReferrers(change.referrers ?? [])}${meanwhile}${showOpened(opened)}</li>
`
}

/** Fields before and after; a replaced secret as its fingerprints. Nothing where no field changed. */
export function fieldTable(fields: readonly FieldChange[]): Markup {
  const secret = secretChange(fields)
  const rest = fields.filter((field) => secret?.fields.includes(field) !== true)
  return html`${secret === undefined ? nothing : html`<p>${secret.sentence}</p>`}${showFields(rest)}`
}

function showFields(fields: readonly FieldChange[]): Markup {
  if (fields.length === 0) return nothing
  return table('Fields', [{ title: 'Field' }, { title: 'Before' }, { title: 'After' }], fields.map(showField))
}

function showField({ path, before, after }: FieldChange): Markup {
  const [old, now] = fieldValues(before, after)
  return html`<tr><th scope="row"><code>${path}</code></th>${cell('Before', html`<del>${old}</del>`)}${cell('After', html`<ins>${now}</ins>`)}</tr>
`
}

const mostReferrers = 20

function showReferrers(referrers: readonly string[]): Markup {
  if (referrers.length === 0) return nothing
  const left = referrers.length - mostReferrers
  const names = `${referrers.slice(0, mostReferrers).join(', ')}${left > 0 ? ` and ${left} more` : ''}`
  return html`<p class="where">Used by ${count(referrers.length, 'subscription')}: ${names}</p>`
}

function showOpened(opened: readonly ReportViolation[]): Markup {
  if (opened.length === 0) return nothing
  const links = opened.map(
    ({ fingerprint, severity, rule }) =>
      html` <a class="chip ${severity}" href="#${anchorOf('v', fingerprint)}">${severity} ${rule}</a>`,
  )
  return html`<p class="where">New with it:${links}</p>`
}
