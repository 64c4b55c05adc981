import { html, type Markup, nothing } from '../markup.ts'

interface Column {
  readonly title: string
  /** Right-aligned digits. */
  readonly isNumber?: boolean
  /** Sentences: it gets the room that short columns do not need. */
  readonly isText?: boolean
}

/**
 * A cell. Below 600 px, where rows become cards, `label` is in front of its content, which must be one box then: markup is
 * put into one, except for numbers, which are short. A number of 0 is a dot.
 */
export function cell(label: string, content: string | number | Markup, kind: '' | 'n' | 'n unseen' = ''): Markup {
  if (kind !== '') {
    if (content === 0 || content === '0') return html`<td data-label="${label}" class="${kind} faint">·</td>`
    return html`<td data-label="${label}" class="${kind}">${content}</td>`
  }
  return html`<td data-label="${label}">${typeof content === 'object' ? html`<div>${content}</div>` : content}</td>`
}

/** A table of rows that begin with a `th` of scope `row`. */
export function table(name: string, columns: readonly Column[], rows: readonly Markup[]): Markup {
  const heads = columns.map(({ title, isNumber, isText }) => {
    const kind = isNumber === true ? html` class="n"` : isText === true ? html` class="text"` : nothing
    return html`<th scope="col"${kind}>${title}</th>`
  })
  return html`<table class="cards" aria-label="${name}"><thead><tr>${heads}</tr></thead><tbody>
${rows}</tbody></table>
`
}
