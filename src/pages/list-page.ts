import { AuditError } from '../model/errors.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'

/** Leads to the first page of a list and to the next one. */
export function showPager({
  first,
  previous,
  next,
}: {
  /** The first page; absent: this is it. */
  readonly first: string | undefined
  readonly previous?: string | undefined
  readonly next: string | undefined
}): Markup {
  if (first === undefined && next === undefined) return nothing
  return html`<nav class="pager" aria-label="Pages of the list"><ul>${first !== undefined && html`<li><a href="${first}">First page</a></li>`}${previous !== undefined && html`<li><a href="${previous}" rel="prev">Previous page</a></li>`}${next !== undefined && html`<li><a href="${next}" rel="next">Next page</a></li>`}</ul></nav>
`
}

/** For parameters that name no cursor of a list. */
export function noSuchCursor(...names: readonly string[]): AuditError {
  const named = names.map((name) => `"${name}"`).join(' and ')
  return AuditError.usage(`${named} ${names.length === 1 ? 'names' : 'name'} no place in this list`, {
    advice: 'Begin with the first page of the list.',
  })
}
