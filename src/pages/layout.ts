import { command } from '../report/html/components/command.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { onPaper } from '../report/html/on-paper.ts'
import { paperTitle, showRunOf } from './as-of.ts'
import type { SiteContent } from './page.ts'
import type { PagePlace } from './page-place.ts'
import { commandOf, jsonOf } from './same-answer.ts'
import { plainHeader, siteHeader } from './site-header.ts'

/** A page of the history: navigation, the run that it is as of, what it shows, and the command for the same answer. */
export function layOutPage(content: SiteContent, place: PagePlace): string {
  const { title, heading, crumbs, alarm = nothing, body, aside, same, next } = content
  const paper = content.paper ?? paperTitle(title, place)
  const { link, run, isLatest } = place
  const asOf = isLatest ? undefined : run.number
  return wholePage({
    title: `${title} · run ${run.number} · hookdrift`,
    paper,
    head: next === undefined ? nothing : html`<link rel="next" href="${next}">`,
    body: html`<header>
${siteHeader(place)}
<div class="path">${place.path === '/' ? nothing : showCrumbs(crumbs, link)}${showRunOf(place, content.atLast)}</div>
<div class="page-head">${alarm}<h1>${heading ?? title}</h1></div>
</header>
<div class="columns">
<main id="main">
${body}</main>
${
  aside === undefined
    ? nothing
    : html`<aside aria-labelledby="facts"><h2 id="facts">Facts</h2>
${aside}</aside>`
}</div>
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
    paper: title,
    head: nothing,
    body: html`${plainHeader(isInside)}
<main id="main"><h1>${title}</h1>
${body}</main>`,
  })
}

interface WholePage {
  readonly title: string
  /** At the head of every printed page. */
  readonly paper: string
  readonly head: Markup
  readonly body: Markup
}

function wholePage({ title, paper, head, body }: WholePage): string {
  return String(html`<!doctype html>
<html lang="en"${onPaper(paper)}>
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

function showCrumbs(crumbs: SiteContent['crumbs'], link: PagePlace['link']): Markup {
  const above = crumbs.map(({ title, href }) => html`<li><a href="${href}">${title}</a></li>`)
  return html`<nav class="crumbs" aria-label="Breadcrumbs"><ol><li><a href="${link('/')}">Overview</a></li>${above}</ol></nav>`
}
