import type { CommittedRun } from '../history/sql/runs.ts'
import { command, showInstant } from '../report/html/components/parts.ts'
import { html, type Markup, nothing, withCode } from '../report/html/markup.ts'
import { onPaper } from '../report/html/render-page.ts'
import { showTime } from '../report/text/show-time.ts'
import { linksAt, type SiteLink } from './link.ts'
import type { SiteContent } from './page.ts'
import { commandOf, jsonOf } from './same-answer.ts'

/** A page of the history: navigation, the run that it is as of, what it shows, and the command for the same answer. */
export function layOutPage(content: SiteContent, page: PagePath): string {
  const { title, heading, crumbs, alarm = nothing, body, aside, same, next } = content
  const paper = content.paper ?? paperTitle(title, page)
  const { link, run, isLatest } = page
  const asOf = isLatest ? undefined : run.number
  return wholePage({
    title: `${title} · run ${run.number} · hookdrift`,
    paper,
    head: next === undefined ? nothing : html`<link rel="next" href="${next}">`,
    body: html`<header>
${siteHeader(page, link, runForm(page))}
<div class="path">${page.path !== '/' && showCrumbs(crumbs, link)}${showRunOf(page, content)}</div>
<div class="page-head">${alarm}<h1>${heading ?? title}</h1></div>
</header>
<div class="columns">
<main id="main">
${body}</main>
${
  aside !== undefined &&
  html`<aside aria-labelledby="facts"><h2 id="facts">Facts</h2>
${aside}</aside>`
}</div>
<footer>
<p>The same on the command line: ${command(commandOf(same, asOf))} · <a href="${jsonOf(same, asOf)}">as JSON</a>${same.lacks !== undefined && html`. ${withCode(same.lacks)}`}</p>
${showEnd(page)}
</footer>`,
  })
}

function showEnd({ version, hasSession }: PageFrame): Markup {
  return html`<p class="soft">hookdrift ${version}</p>${hasSession && logOutForm}`
}

const logOutForm = html`
<form method="post" action="/logout"><button>Log out</button></form>`

/** A page without a run: an error, or a history that has none. `frame`: absent where no reader is known. */
export function layOutNotice(title: string, body: Markup, frame?: PageFrame): string {
  return wholePage({
    title: `${title} · hookdrift`,
    paper: title,
    head: nothing,
    body: html`<header>
${frame === undefined ? html`<div class="site"><span class="word-mark">hookdrift</span></div>` : siteHeader(frame, linksAt(undefined))}
</header>
<main id="main"><h1>${title}</h1>
${body}</main>${
      frame !== undefined &&
      html`
<footer>
${showEnd(frame)}
</footer>`
    }`,
  })
}

function wholePage({
  title,
  paper,
  head,
  body,
}: {
  readonly title: string
  /** At the head of every printed page. */
  readonly paper: string
  readonly head: Markup
  readonly body: Markup
}): string {
  return String(html`<!doctype html>
<html lang="en"${onPaper(paper)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
<link rel="alternate" type="application/atom+xml" title="Changes" href="/feed.atom">
<script src="/script.js" defer></script>
<script src="/copy.js" defer></script>
${head}</head>
<body class="served">
<a class="skip" href="#main">Skip to the content</a>
${body}
</body>
</html>
`)
}

function showCrumbs(crumbs: SiteContent['crumbs'], link: PagePath['link']): Markup {
  const above = crumbs.map(({ title, href }) => html`<li><a href="${href}">${title}</a></li>`)
  return html`<nav class="crumbs" aria-label="Breadcrumbs"><ol><li><a href="${link('/')}">Overview</a></li>${above}</ol></nav>`
}

/** Where a page is, and who reads it. */
export interface PageFrame {
  /** Of the page, without its query. */
  readonly path: string
  readonly version: string
  /** Paths of pages that its readers do not see. */
  readonly hidden: readonly string[]
  /** Whether the browser logged in. */
  readonly hasSession: boolean
}

/** The same of a page that is as of a run. */
interface PagePath extends PageFrame {
  /** The query of its address. */
  readonly search: URLSearchParams
  readonly run: CommittedRun
  readonly last: CommittedRun
  /** Whether no run was named. */
  readonly isLatest: boolean
  readonly link: SiteLink
}

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
 * The head of every page: the word mark, which leads to the overview, the menu, and the form for a run, where the page is
 * as of one. One line where there is room. On a phone the menu is behind a fold.
 */
function siteHeader(frame: PageFrame, link: SiteLink, runForm: Markup = nothing): Markup {
  const { hidden, path } = frame
  const items = menu
    .filter(([page]) => !hidden.includes(page))
    .map(([page, name]) => {
      const isCurrent = path === page || path.startsWith(`${page}/`)
      return html`<li><a href="${link(page)}"${current(isCurrent)}>${name}</a></li>`
    })
  return html`<div class="site"><a class="word-mark" href="${link('/')}" title="Overview"${current(path === '/')}>hookdrift</a>
<details class="menu"><summary>Menu</summary><nav aria-label="Pages"><ul>${items}</ul></nav></details>
${runForm}</div>`
}

function current(isCurrent: boolean): Markup {
  return isCurrent ? html` aria-current="page"` : nothing
}

/** A form for the same page as of another run: its filters stay. */
function runForm({ path, search, run, isLatest }: PagePath): Markup {
  const hiddenFields = filtersOf(search).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form class="as-of" method="get" action="${path}">${hiddenFields}<label for="as-of">As of run</label> <input id="as-of" name="run" inputmode="numeric" size="5" value="${!isLatest && run.number}" placeholder="${run.number}"> <button>Go</button></form>`
}

/**
 * The run that the page is as of. Where a later one exists, that is said at once, with a way there. `atLast`: another page,
 * where the last run may not have this one.
 */
function showRunOf({ path, search, run, last }: PagePath, { atLast, isPresentFirst }: SiteContent): Markup {
  if (run.number === last.number) {
    return html`<p class="run-line">As of run ${run.number}, ${showInstant(run.finished_at)}</p>`
  }
  const now = new URLSearchParams(filtersOf(search))
  const href = atLast ?? (now.size === 0 ? path : `${path}?${now}`)
  return html`<p class="past-run" role="note"><b>${isPresentFirst && 'Now, and below it as'}${!isPresentFirst && 'As'} of run ${run.number}</b>, ${showTime(run.finished_at)}. The last run is ${last.number}. <a href="${href}">This page as of the last run</a></p>`
}

/** Places in lists, which another run does not have. */
const cursors: ReadonlySet<string> = new Set(['after', 'before'])

function filtersOf(search: URLSearchParams): [name: string, value: string][] {
  return [...search].filter(([name, value]) => name !== 'run' && value !== '' && !cursors.has(name))
}

/** The head of every printed page, unless the page has its own. */
function paperTitle(title: string, { run }: Pick<PagePath, 'run'>): string {
  return `${title}, as of run ${run.number}, ${showTime(run.finished_at)}`
}
