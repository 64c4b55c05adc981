import type { CommittedRun } from '../history/reader.ts'
import { command } from '../report/html/components/command.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { showTime } from '../report/text/show-time.ts'
import type { SiteLink } from './link.ts'
import type { SiteContent } from './page.ts'
import { commandOf, jsonOf } from './same-answer.ts'

interface Place {
  /** Of the page, without its query. */
  readonly path: string
  readonly run: CommittedRun
  readonly isLatest: boolean
  readonly link: SiteLink
  readonly version: string
  /** Paths of pages that its readers do not see. */
  readonly hidden: readonly string[]
  /** Whether the browser logged in. */
  readonly hasSession: boolean
}

const menu = [
  ['/', 'Overview'],
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

/** A page of the history: navigation, the run that it is as of, what it shows, and the command for the same answer. */
export function layOutPage(content: SiteContent, place: Place): string {
  const { title, heading, crumbs, alarm = nothing, body, aside, same, next } = content
  const { link, run, isLatest } = place
  const asOf = isLatest ? undefined : run.number
  return wholePage({
    title: `${title} · run ${run.number} · hookdrift`,
    head: next === undefined ? nothing : html`<link rel="next" href="${next}">`,
    body: html`<header>
<div class="site"><nav aria-label="Pages"><ul>${menu.filter(([path]) => !place.hidden.includes(path)).map(([path, name]) => showMenuItem(path, name, place))}</ul></nav>
<form class="as-of" method="get" action="${place.path}"><label for="as-of">As of run</label> <input id="as-of" name="run" inputmode="numeric" size="6" value="${isLatest ? '' : run.number}" placeholder="${run.number}"> <button>Go</button> <span class="soft">${isLatest ? 'the last one, ' : ''}<time datetime="${run.finishedAt}">${showTime(run.finishedAt)}</time></span>${isLatest ? nothing : html` <a href="${content.atLast ?? place.path}">to the last run</a>`}</form></div>
<div class="page-head">${
      crumbs.length === 0 && place.path === '/'
        ? nothing
        : html`<nav class="crumbs" aria-label="Breadcrumbs"><ol><li><a href="${link('/')}">Overview</a></li>${crumbs.map(
            ({ title, href }) => html`<li><a href="${href}">${title}</a></li>`,
          )}</ol></nav>`
    }${alarm}<h1>${heading ?? title}</h1></div>
</header>
<div class="columns">
<main id="main">
${body}</main>
${aside === undefined ? nothing : html`<aside aria-label="Facts">${aside}</aside>`}</div>
<footer>
<p>The same on the command line: ${command(commandOf(same, asOf))} · <a href="${jsonOf(same, asOf)}">as JSON</a>${same.lacks === undefined ? nothing : html`. ${same.lacks}`}</p>
<p class="soft">hookdrift ${place.version}</p>${place.hasSession ? logOutForm : nothing}
</footer>`,
  })
}

const logOutForm = html`
<form method="post" action="/logout"><button>Log out</button></form>`

/** A page without a run: an error, or a history that has none. `isInside`: whether its reader may read the others. */
export function layOutNotice(title: string, body: Markup, { isInside }: { readonly isInside: boolean }): string {
  return wholePage({
    title: `${title} · hookdrift`,
    head: nothing,
    body: html`${isInside ? html`<header class="site"><nav aria-label="Pages"><ul><li><a href="/">Overview</a></li></ul></nav></header>` : nothing}
<main id="main"><h1>${title}</h1>
${body}</main>`,
  })
}

function wholePage({ title, head, body }: { title: string; head: Markup; body: Markup }): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
<link rel="alternate" type="application/atom+xml" title="Changes" href="/feed.atom">
<script src="/script.js" defer></script>
${head}</head>
<body class="served">
<a class="skip" href="#main">Skip to the content</a>
${body}
</body>
</html>
`)
}

function showMenuItem(path: string, name: string, { path: current, link }: Place): Markup {
  const isCurrent = path === '/' ? current === '/' : current === path || current.startsWith(`${path}/`)
  return isCurrent
    ? html`<li><a href="${link(path)}" aria-current="page">${name}</a></li>`
    : html`<li><a href="${link(path)}">${name}</a></li>`
}
