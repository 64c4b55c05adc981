import { html, type Markup } from '../markup.ts'

interface Column {
  readonly title: string
  /** Right-aligned digits. */
  readonly isNumber?: boolean
}

/** None in a column of numbers: a dot, so that what there is catches the eye. */
export const none = html`<span class="faint">·</span>`

/** A cell. Below 600 px, where rows become cards, `label` is in front of its content. A number of 0 is `none`. */
export function cell(label: string, content: string | number | Markup, kind: '' | 'n' | 'n unseen' = ''): Markup {
  if (kind === '') return html`<td data-label="${label}">${content}</td>`
  const isNone = content === 0 || content === '0'
  return html`<td data-label="${label}" class="${kind}">${isNone ? none : content}</td>`
}

/** A table of rows that begin with a `th` of scope `row`. */
export function table(name: string, columns: readonly Column[], rows: readonly Markup[]): Markup {
  const heads = columns.map(({ title, isNumber }) =>
    isNumber === true ? html`<th scope="col" class="n">${title}</th>` : html`<th scope="col">${title}</th>`,
  )
  return html`<table class="cards" aria-label="${name}"><thead><tr>${heads}</tr></thead><tbody>
${rows}</tbody></table>
`
}
