import { html, type Markup, nothing } from '../markup.ts'

/** Content behind a summary. Printing opens all folds. */
export function fold(summary: Markup, content: Markup, isOpen = false): Markup {
  return isOpen
    ? html`<details open=""><summary>${summary}</summary>
${content}</details>
`
    : html`<details><summary>${summary}</summary>
${content}</details>
`
}

const mostInSight = 20

/** A list of rows, the first of them in sight and the others behind a fold that counts them. */
export function rowList(rows: readonly Markup[], inSight = mostInSight): Markup {
  const [first, rest] = [rows.slice(0, inSight), rows.slice(inSight)]
  return html`${list(first)}${rest.length === 0 ? nothing : fold(html`${rest.length} more of ${rows.length}`, list(rest))}`
}

function list(rows: readonly Markup[]): Markup {
  return html`<ul class="rows">
${rows}</ul>
`
}
