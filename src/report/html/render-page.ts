import { hash } from 'node:crypto'
import { assetText } from '../../model/package-files.ts'
import { shorten } from '../text/shorten.ts'
import { html, type Markup, trusted } from './markup.ts'

/** The style of every page, in which reports are self-contained. */
export const styleSheet = assetText('report/html/style.css')

interface Contents {
  /** The title of the window, also at the head of every printed page. */
  readonly title: string
  /** What the page is about; below it the verdict. */
  readonly heading: Markup
  readonly verdict: Markup
  readonly sections: readonly PageSection[]
  /** Facts with which a reader can verify the origin. */
  readonly footer: Markup
}

export interface PageSection {
  readonly id: string
  readonly title: string
  /** How many things it shows; a text where that is not known for sure, such as `?`. */
  readonly count?: number | string
  /** A sentence about all of it. */
  readonly note?: string
  readonly content: Markup
}

/** A self-contained page: no script and nothing from outside, which its content security policy enforces. */
export function renderPage({ title, heading, verdict, sections, footer }: Contents): string {
  const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', styleSheet, 'base64')}'`
  const page = html`<!doctype html>
<html lang="en"${onPaper(title)}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${trusted(styleSheet)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header>
${heading}${verdict}<nav aria-label="Sections"><ul>${sections.map(showLink)}</ul></nav>
</header>
<main id="main">
${sections.map(pageSection)}</main>
<footer>
${footer}</footer>
</body>
</html>
`
  return String(page)
}

function showLink({ id, title, count }: PageSection): Markup {
  return html`<li><a href="#${id}">${title}</a>${count !== undefined && html` ${String(count).split(' ', 1).join('')}`}</li>`
}

/** A section under its heading, which counts what it shows. */
export function pageSection({ id, title, count, note, content }: PageSection): Markup {
  const number = count !== undefined && html` <span class="count">${count}</span>`
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}${number}</h2>
${
  note !== undefined &&
  html`<p class="soft">${note}</p>
`
}${content}</section>
`
}

/**
 * What is at the head of every printed page, as an attribute of the root element. The style sheet reads it from there, so
 * that names never become a part of the style sheet.
 */
export function onPaper(title: string): Markup {
  return html` data-paper="${shorten(title, mostCharacters)}"`
}

/** A line of paper has no room for more. */
const mostCharacters = 120
