import { hash } from 'node:crypto'
import type { Report } from '../../model/report.ts'
import { html, Markup } from './markup.ts'
import { styleSheet } from './style-sheet.ts'

interface Contents {
  /** The title of the window, also at the head of every printed page. */
  readonly title: string
  readonly heading: string
  readonly verdict: { readonly text: string; readonly isGood: boolean }
  readonly sections: readonly PageSection[]
  /** Facts with which a reader can verify the origin. */
  readonly footer: readonly (readonly [what: string, value: string])[]
  readonly tool: Report['tool']
}

export interface PageSection {
  readonly id: string
  readonly title: string
  readonly content: Markup
}

/** A self-contained page: no script and nothing from outside, which its content security policy enforces. */
export function renderPage({ title, heading, verdict, sections, footer, tool }: Contents): string {
  const style = styleSheet(title.replaceAll(/["\\\n]/g, ''))
  const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'`
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header>
<h1>${heading}</h1>
<p class="verdict ${verdict.isGood ? 'good' : 'bad'}">${verdict.text}</p>
<nav aria-label="Sections"><ul>${sections.map(({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
</header>
<main id="main">
${sections.map(showSection)}</main>
<footer><dl class="facts">
<dt>Made by</dt><dd>${tool.name} ${tool.version}</dd>
${footer.map(
  ([what, value]) => html`<dt>${what}</dt><dd><code>${value}</code></dd>
`,
)}</dl></footer>
</body>
</html>
`
  return String(page)
}

function showSection({ id, title, content }: PageSection): Markup {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>
`
}
