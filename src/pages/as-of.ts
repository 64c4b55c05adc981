import { html, type Markup } from '../report/html/markup.ts'
import { showTime } from '../report/text/show-time.ts'
import type { PagePlace } from './page-place.ts'
import { showInstant } from './show-instant.ts'

/** A form for the same page as of another run: its filters stay. */
export function shownRunForm({ path, search, run, isLatest }: PagePlace): Markup {
  const kept = filtersOf(search).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  return html`<form class="as-of" method="get" action="${path}">${kept}<label for="as-of">As of run</label> <input id="as-of" name="run" inputmode="numeric" size="5" value="${isLatest ? '' : run.number}" placeholder="${run.number}"> <button>Go</button></form>`
}

/**
 * The run that the page is as of. Where a later one exists, that is said at once, with a way there. `atLast`: another page,
 * where the last run may not have this one.
 */
export function showRunOf({ path, search, run, last }: PagePlace, atLast?: string): Markup {
  if (run.number === last.number) {
    return html`<p class="run-line">As of run ${run.number}, ${showInstant(run.finishedAt)}</p>`
  }
  const now = new URLSearchParams(filtersOf(search))
  const href = atLast ?? (now.size === 0 ? path : `${path}?${now}`)
  return html`<p class="past-run" role="note"><b>As of run ${run.number}</b>, ${showTime(run.finishedAt)}. The last run is ${last.number}. <a href="${href}">This page as of the last run</a></p>`
}

/** Places in lists, which another run does not have. */
const cursors: ReadonlySet<string> = new Set([
  ...['after', 'before', 'after-project', 'after-kind', 'after-state', 'after-approval'],
])

function filtersOf(search: URLSearchParams): [name: string, value: string][] {
  return [...search].filter(([name, value]) => name !== 'run' && value !== '' && !cursors.has(name))
}

/** The head of every printed page, unless the page has its own. */
export function paperTitle(title: string, { run }: Pick<PagePlace, 'run'>): string {
  return `${title}, as of run ${run.number}, ${showTime(run.finishedAt)}`
}
