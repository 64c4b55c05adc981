import { hash } from 'node:crypto'
import type { Report } from '../model/report.ts'
import { type Markup, html as markup, nothing, Markup as Ready } from './html/markup.ts'
import { showCoverage } from './html/show-coverage.ts'
import { showDrift } from './html/show-drift.ts'
import { showOverview } from './html/show-overview.ts'
import { showOpen, showOthers } from './html/show-violations.ts'
import { styleSheet } from './html/style-sheet.ts'
import type { ReportFormat } from './report-format.ts'
import { showTime } from './text/show-time.ts'

/** One page for people: to read on a screen or a phone, to print, to attach. No script, nothing from outside. */
export const html: ReportFormat = (report) => {
  const { run, verdict, notices } = report
  const title = `hookdrift run ${run.number}, ${showTime(run.started_at)}`
  const style = styleSheet(title)
  const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'`
  const body = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Ready(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header>
<h1>Webhook configuration audit</h1>
<p class="verdict ${verdict.exit_code === 0 ? 'good' : 'bad'}">${verdict.text} Exit code ${verdict.exit_code}.</p>
<nav aria-label="Sections"><ul>${sectionsOf(report)}</ul></nav>
</header>
<main id="main">
${showOverview(report)}${showNotices(notices)}${showOpen(report)}${showDrift(report)}${showOthers(report)}${showCoverage(report)}</main>
${showFooter(report)}</body>
</html>
`
  return String(body)
}

function sectionsOf({ verdict }: Report): Markup[] {
  const sections: [id: string, title: string, isThere: boolean][] = [
    ['overview', 'Overview', true],
    ['violations', 'Open violations', true],
    ['drift', 'Drift', true],
    ['unknown', 'Not looked at', verdict.unknown > 0],
    ['waived', 'Waived', verdict.waived > 0],
    ['resolved', 'Resolved', verdict.resolved > 0],
    ['coverage', 'Coverage', true],
  ]
  return sections.filter(([, , isThere]) => isThere).map(([id, name]) => markup`<li><a href="#${id}">${name}</a></li>`)
}

function showNotices(notices: Report['notices']): Markup {
  if (notices.length === 0) return nothing
  const shown = notices.map(
    ({ project, listing, text }) => markup`<li>${project} ${listing}: ${text}</li>
`,
  )
  return markup`<section aria-labelledby="notices"><h2 id="notices">Notices</h2>
<ul class="list">${shown}</ul></section>
`
}

/** What an auditor needs to check where this came from. */
function showFooter({ tool, run, digests }: Report): Markup {
  const chain =
    digests.chain === null
      ? nothing
      : markup`<dt>Chain</dt><dd><code>${digests.chain}</code></dd>
`
  return markup`<footer><dl class="facts">
<dt>Made by</dt><dd>${tool.name} ${tool.version}</dd>
<dt>Policy</dt><dd><code>${digests.policy}</code></dd>
<dt>Configuration</dt><dd><code>${digests.configuration}</code></dd>
${chain}<dt>The same again</dt><dd><code>hookdrift report --run ${run.number} --format html</code></dd>
<dt>To check the history</dt><dd><code>hookdrift verify</code></dd>
</dl></footer>
`
}
