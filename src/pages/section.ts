import { html, type Markup, nothing } from '../report/html/markup.ts'

interface ShownSection {
  readonly id: string
  readonly title: string
  /** How many things there are, also those that are not shown. */
  readonly count?: number
  readonly content: Markup
}

/** A part of a page with a heading of its own. */
export function showSection({ id, title, count, content }: ShownSection): Markup {
  const number = count === undefined ? nothing : html` <span class="count">${count}</span>`
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}${number}</h2>
${content}</section>
`
}
