import { AuditError } from '../model/errors.ts'
import { kinds } from '../model/resource.ts'
import type { ResourceCursor } from '../questions/diff.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import type { SiteLinkQuery } from './link.ts'
import type { SiteQuery } from './page.ts'
import { readChoice } from './query.ts'

/** A page of a list that is held whole. */
export interface ListPage<Item> {
  readonly items: readonly Item[]
  /** The one after which the list goes on; undefined at its end. */
  readonly last: Item | undefined
}

/** A list that goes on from page to page, as a section of its page. */
export interface ListSection {
  readonly section: Markup
  /** Whether the list begins here. */
  readonly isFirst: boolean
  /** The next page; undefined at the end of the list. */
  readonly next: string | undefined
}

/** `isAfter`: whether an item comes after the cursor where the page begins; absent: it is the first page. */
export function cutPage<Item>(
  all: readonly Item[],
  { isAfter = () => true, most }: { readonly isAfter?: ((item: Item) => boolean) | undefined; readonly most: number },
): ListPage<Item> {
  const begin = all.findIndex(isAfter)
  const items = begin < 0 ? [] : all.slice(begin, begin + most)
  return { items, last: begin + items.length < all.length ? items.at(-1) : undefined }
}

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

/** The parameters that name a resource, after which a list of changes goes on. */
export const resourceParameters = ['after-project', 'after-kind', 'after'] as const

/** @throws AuditError.usage when only a part of a cursor is named */
export function readResourceCursor(query: SiteQuery): ResourceCursor | undefined {
  const [project, uid] = [query.one('after-project'), query.one('after')]
  const kind = readChoice(query, 'after-kind', kinds)
  if (project === undefined && kind === undefined && uid === undefined) return undefined
  if (project === undefined || kind === undefined || uid === undefined) throw noSuchCursor(...resourceParameters)
  return { project, kind, uid }
}

export function queryAfter({ project, kind, uid }: ResourceCursor): SiteLinkQuery {
  return { 'after-project': project, 'after-kind': kind, after: uid }
}
