import type { FieldChange } from '../../model/change.ts'
import { shownJson } from '../../model/exact-number.ts'
import type { Json } from '../../model/json.ts'
import type { Report, ReportChange } from '../../model/report.ts'
import { count } from '../../text/count.ts'
import { shorten, shortenSeals } from '../text/shorten.ts'
import { html, type Markup, nothing } from './markup.ts'
import { showWho } from './show-who.ts'

/** What changed since the last complete scan, with the values before and after. */
export function showDrift({ drift }: Report): Markup {
  if (drift.length === 0) return html`<p>Nothing changed since the last complete scan.</p>`
  return html`<ul class="list">${drift.map(showChange)}</ul>`
}

const longestValue = 2000

function showChange(change: ReportChange): Markup {
  const referrers = change.referrers ?? []
  const used =
    referrers.length === 0
      ? nothing
      : html`<p class="where">used by ${count(referrers.length, 'subscription')}: ${referrers.slice(0, 20).join(', ')}${referrers.length > 20 ? ` and ${referrers.length - 20} more` : ''}</p>`
  return html`<li data-project="${change.project}" data-change="${change.change}"><p><b>${change.change}</b> ${showWho(change)}</p>${change.fields.map(showField)}${used}</li>
`
}

function showField({ path, before, after }: FieldChange): Markup {
  const [old, now] = shortenSeals(textOf(before), textOf(after))
  return html`<div class="field"><p><code>${path}</code></p><p><del>${shorten(old, longestValue)}</del></p><p><ins>${shorten(now, longestValue)}</ins></p></div>`
}

function textOf(value: Json): string {
  return value === null ? 'none' : shownJson(value)
}
