import type { Identity } from '../../history/reader.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import { shorten } from '../../report/text/shorten.ts'
import { paths } from '../link.ts'
import type { SiteRequest } from '../page.ts'

/** The active violations of a resource. */
export async function showActive({ history, run, link }: SiteRequest, identity: Identity): Promise<Markup> {
  const active = (await history.violationsOf(identity, run.number)).filter(({ toRun }) => toRun === null)
  if (active.length === 0) return nothing
  const rows = active.map(
    ({ fingerprint, rule, severity, state, message, path }) =>
      html`<li data-severity="${severity}"><p><span class="chip ${severity}">${severity}</span> <a href="${link(paths.violation(fingerprint))}"><code>${rule}</code></a> ${shorten(message, 2000)}</p><p class="where">${state}${path === '' ? nothing : html` · at <code>${shorten(path, 200)}</code>`}</p></li>
`,
  )
  return pageSection({
    id: 'violations',
    title: 'Violations',
    count: active.length,
    content: html`<ul class="rows">${rows}</ul>`,
  })
}
