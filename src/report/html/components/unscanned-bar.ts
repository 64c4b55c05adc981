import { count } from '../../../text/count.ts'
import { html, type Markup, nothing } from '../markup.ts'

export interface UnscannedCause {
  readonly cause: string
  /** Projects, or parts of them. */
  readonly where: string
}

/** More would push the verdict off the first screen of a phone. */
const mostCauses = 4

interface UnscannedBar {
  readonly headline: string
  /** One line for each cause; of many, the first. */
  readonly causes: readonly UnscannedCause[]
  /** What it means for the reader. */
  readonly meaning: string
  /** Where the walks are listed. */
  readonly href: string
}

/** What could not be scanned. It comes before the verdict, because it limits what the verdict means. */
export function unscannedBar({ headline, causes, meaning, href }: UnscannedBar): Markup {
  const left = causes.length - mostCauses
  const lines = causes.slice(0, mostCauses).map(({ cause, where }) => html`<li><b>${cause}:</b> ${where}</li>`)
  return html`<div class="unscanned unseen" role="note">
<p><b>? ${headline}</b></p>
${lines.length === 0 ? nothing : html`<ul>${lines}${left > 0 ? html`<li>and ${count(left, 'more cause')}</li>` : nothing}</ul>`}<p>${meaning} <a href="${href}">Coverage</a></p>
</div>
`
}
