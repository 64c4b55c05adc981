import { html, type Markup, nothing } from '../report/html/markup.ts'
import { shownRunForm } from './as-of.ts'
import type { PagePlace } from './page-place.ts'

const menu = [
  ['/violations', 'Violations'],
  ['/resources', 'Resources'],
  ['/runs', 'Runs'],
  ['/rules', 'Rules'],
  ['/compliance', 'Compliance'],
  ['/baselines', 'Baselines'],
  ['/waivers', 'Waivers'],
  ['/notifications', 'Notifications'],
  ['/worker', 'Worker'],
] as const

/**
 * The head of every page: the word mark, which leads to the overview, the menu, and the run. One line where there is room.
 * On a phone the menu is behind a fold.
 */
export function siteHeader(place: PagePlace): Markup {
  const { link, hidden, path } = place
  const items = menu.filter(([page]) => !hidden.includes(page)).map(([page, name]) => showMenuItem(page, name, place))
  return html`<div class="site"><a class="word-mark" href="${link('/')}" title="Overview"${current(path === '/')}>hookdrift</a>
<details class="menu"><summary>Menu</summary><nav aria-label="Pages"><ul>${items}</ul></nav></details>
${shownRunForm(place)}</div>`
}

/** The head of a page without a run. `isInside`: whether its reader may read the others. */
export function plainHeader(isInside: boolean): Markup {
  return html`<header class="site">${isInside ? html`<a class="word-mark" href="/" title="Overview">hookdrift</a>` : html`<span class="word-mark">hookdrift</span>`}</header>`
}

function showMenuItem(page: string, name: string, { path, link }: PagePlace): Markup {
  const isCurrent = path === page || path.startsWith(`${page}/`)
  return html`<li><a href="${link(page)}"${current(isCurrent)}>${name}</a></li>`
}

function current(isCurrent: boolean): Markup {
  return isCurrent ? html` aria-current="page"` : nothing
}
