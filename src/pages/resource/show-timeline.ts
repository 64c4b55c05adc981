import type { Identity } from '../../history/sql/resource-life.ts'
import type { TimelineRow } from '../../questions/timeline.ts'
import { describeEnding } from '../../report/describe-ending.ts'
import { fieldTable } from '../../report/html/components/change-card.ts'
import { html, type Markup, nothing } from '../../report/html/markup.ts'
import { pageSection } from '../../report/html/render-page.ts'
import { paths, type SiteLink } from '../link.ts'
import type { RunNames } from '../name-run.ts'

const mostMoments = 100

const marks = { added: '+', removed: '−', modified: '~', first_seen: '+', restated: '·' } as const
const words = {
  added: 'added',
  removed: 'removed',
  modified: 'modified',
  first_seen: 'first seen',
  restated: 'stored again',
} as const

/** What happened to a resource, the last first. A change leads to the versions before and after it, side by side. */
export function showTimeline(
  { project, kind: ofKind, uid }: Identity,
  rows: readonly TimelineRow[],
  { link, runs }: { readonly link: SiteLink; readonly runs: RunNames },
): Markup {
  const shown = rows.toReversed().slice(0, mostMoments)
  const left = rows.length - shown.length
  const items = shown.map(({ run, at, change, fields, violations }) => {
    const kind = change === 'first_seen' ? 'added' : (change ?? '')
    const what = change === null ? nothing : html` <b class="change">${marks[change]} ${words[change]}</b>`
    const versions = link(paths.resource(uid), { project: project.name, kind: ofKind, from: run - 1, to: run })
    const sides = change === 'modified' ? html` <a href="${versions}#versions">side by side</a>` : nothing
    const turns = violations.map(
      (violation) =>
        html`<li><span class="chip ${violation.severity}">${violation.severity}</span> <a href="${link(paths.violation(violation.fingerprint))}"><code>${violation.rule}</code></a> ${violation.state === 'resolved' ? describeEnding(violation) : violation.state}</li>`,
    )
    return html`<li class="${kind}"><p>${runs.nameAt(run, at)}${what}${sides}</p>
${fieldTable(fields)}${turns.length === 0 ? nothing : html`<ul class="plain">${turns}</ul>`}</li>
`
  })
  return pageSection({
    id: 'timeline',
    title: 'Timeline',
    count: rows.length,
    content: html`<ul class="rows">${items}</ul>${left > 0 ? html`<p class="soft">${left} earlier moments: see the command below.</p>` : nothing}`,
  })
}
