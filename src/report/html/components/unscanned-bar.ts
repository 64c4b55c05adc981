import { html, type Markup, nothing } from '../markup.ts'

interface UnscannedBar {
  readonly headline: string
  /** One line for each cause. */
  readonly causes: readonly { readonly cause: string; readonly where: string }[]
  /** How many causes are not shown; 0 or less when all are. */
  readonly left: number
  /** What it means for the reader. */
  readonly meaning: string
  /** Where the walks are listed. */
  readonly href: string
}

/** What could not be scanned. It comes before the verdict, because it limits what the verdict means. */
export function unscannedBar({ headline, causes, left, meaning, href }: UnscannedBar): Markup {
  const lines = causes.map(({ cause, where }) => html`<li><b>${cause}:</b> ${where}</li>`)
  return html`<div class="unscanned unseen" role="note">
<p><b>? ${headline}</b></p>
${lines.length === 0 ? nothing : html`<ul>${lines}${left > 0 ? html`<li>and ${left} more causes</li>` : nothing}</ul>`}<p>${meaning} <a href="${href}">Coverage</a></p>
</div>
`
}
