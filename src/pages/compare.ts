import { matchesProject } from '../config/choose-projects.ts'
import { findRun } from '../history/find-run.ts'
import type { CommittedRun, ResolvedViolation } from '../history/reader.ts'
import type { ReportChange } from '../model/report.ts'
import { readDiff } from '../queries/read-diff.ts'
import { changeCard } from '../report/html/components/change-card.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { foldRest } from '../report/html/components/fold.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { showTime } from '../report/text/show-time.ts'
import { count } from '../text/count.ts'
import { showFilterForm, textField } from './filter-form.ts'
import { findPrevious } from './find-runs.ts'
import { paths, type SiteLink } from './link.ts'
import type { SiteHistory, SitePage, SiteRequest } from './page.ts'

const mostOpen = 50
const mostShown = 500

/** Two runs compared: what differs, and which violations ended in between. */
export const comparePage: SitePage = {
  path: '/compare',
  parameters: ['from', 'to', 'project'],
  isOfRun: false,
  async show(request) {
    const { history, query, link } = request
    const { from, to } = await runsOf(request)
    const projects = query.all('project')
    const {
      rows,
      omitted,
      remarks = [],
    } = await readDiff(history, {
      ...{ from, to, projects, kind: undefined, withPatch: false, limit: mostShown },
    })
    const total = rows.length + (omitted === 'unknown' ? 0 : omitted)
    const ended = await endedBetween(history, from, to, projects)
    return {
      title: `Run ${from.number} and run ${to.number}`,
      crumbs: [{ title: 'Runs', href: link('/runs') }],
      body: html`${showFilterForm('/compare', query, [textField('from', 'From run', String(from.number)), textField('to', 'To run', String(to.number)), textField('project', 'Project', 'acme/*')])}
<p>From <a href="${link(paths.run(from.number))}">run ${from.number}</a>, ${showTime(from.startedAt)}, to <a href="${link(paths.run(to.number))}">run ${to.number}</a>, ${showTime(to.startedAt)}.</p>
${remarks.slice(1).map((line) => html`<p class="unseen">? ${line}</p>`)}
${pageSection({ id: 'changes', title: 'Changes', count: total, content: showChanges(rows, total, link) })}${showEnded(ended, link)}
<p><a href="${link('/violations', { since: String(from.number + 1), state: 'all', project: projects })}">Violations opened or resolved since run ${from.number + 1}</a></p>`,
      command: `hookdrift diff ${from.number} ${to.number}`,
      json: link('/api/v1/diff', { from: from.number, to: to.number, project: projects }),
    }
  },
}

/** The run of the page and the one before it, unless the address names others. */
async function runsOf({ history, run, query, now }: SiteRequest): Promise<{ from: CommittedRun; to: CommittedRun }> {
  const [named, other] = [query.one('from'), query.one('to')]
  const to = other === undefined ? run : findRun(await history.runs(), other, now)
  if (named !== undefined) return { from: findRun(await history.runs(), named, now), to }
  return { from: (await findPrevious(history, to)) ?? to, to }
}

async function endedBetween(
  history: SiteHistory,
  from: CommittedRun,
  to: CommittedRun,
  projects: readonly string[],
): Promise<readonly ResolvedViolation[]> {
  const ended = from.number < to.number ? await history.resolvedBetween(from.number, to.number) : []
  return ended.filter(({ project }) => matchesProject(project, projects))
}

function showChanges(rows: readonly ReportChange[], total: number, link: SiteLink): Markup {
  if (total === 0) return emptyState('Nothing differs in what both have scanned.', 'none')
  const cards = rows.map((change) =>
    changeCard(change, [], link(paths.resource(change.uid), { project: change.project, kind: change.kind })),
  )
  const rest = cards.slice(mostOpen)
  const more = total - rows.length
  return html`<ul class="rows">${cards.slice(0, mostOpen)}</ul>${rest.length === 0 ? nothing : foldRest(`${rest.length} more`, html`<ul class="rows">${rest}</ul>`)}${more > 0 ? html`<p class="soft">${more} further changes are not shown: the command below lists them.</p>` : nothing}`
}

function showEnded(ended: readonly ResolvedViolation[], link: SiteLink): Markup {
  const rows = ended.slice(0, mostOpen).map(
    ({ fingerprint, severity, rule, name, uid, project, run, resolution }) =>
      html`<li><p><span class="chip ${severity}">${severity}</span> <a href="${link(paths.violation(fingerprint))}"><code>${rule}</code></a> ${project} · ${name === '' ? uid : name} · ${resolution ?? 'resolved'} in run ${run}</p></li>
`,
  )
  const left = ended.length - rows.length
  return pageSection({
    ...{ id: 'ended', title: 'Violations that ended', count: ended.length },
    content:
      ended.length === 0
        ? emptyState('None.', 'none')
        : html`<ul class="rows">${rows}</ul>${left > 0 ? html`<p class="soft">${count(left, 'further violation')}.</p>` : nothing}`,
  })
}
