import { html, type Markup, nothing } from '../markup.ts'

/** Content behind a summary. Printing opens all folds. */
export function fold(summary: Markup, content: Markup, isOpen = false): Markup {
  const opened = isOpen ? html` open=""` : nothing
  return html`<details${opened}><summary>${summary}</summary>
${content}</details>
`
}

/** The rest of a list or table. On paper the summary, which only counts it, is left out. */
export function foldRest(summary: string, content: Markup): Markup {
  return html`<details class="rest"><summary>${summary}</summary>
${content}</details>
`
}

const mostShown = 20

/** A list of rows, the first of them shown and the others behind a fold that counts them. */
export function rowList(rows: readonly Markup[], inFront = mostShown): Markup {
  const [first, rest] = [rows.slice(0, inFront), rows.slice(inFront)]
  return html`${list(first)}${rest.length === 0 ? nothing : foldRest(`${rest.length} more of ${rows.length}`, list(rest))}`
}

function list(rows: readonly Markup[]): Markup {
  return html`<ul class="rows">
${rows}</ul>
`
}
