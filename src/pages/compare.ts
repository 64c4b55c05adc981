import { matchesProject } from '../config/choose-projects.ts'
import type { RecordedViolation } from '../history/records.ts'
import { listViolations } from '../history/sql/list-violations.ts'
import { type CommittedRun, findLastRun, findRunAfter, findRunBefore } from '../history/sql/runs.ts'
import type { ResolvedViolation } from '../history/sql/violations.ts'
import type { ReportChange } from '../model/report.ts'
import { type Kind, kinds } from '../model/resource.ts'
import { readFirst } from '../questions/choose-violations.ts'
import { type ResourceCursor, readDiff } from '../questions/diff.ts'
import { describeEnding } from '../report/describe-ending.ts'
import { isGap } from '../report/gaps.ts'
import { changeCard } from '../report/html/components/change-card.ts'
import { emptyState, foldRest } from '../report/html/components/parts.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { showTime } from '../report/text/show-time.ts'
import { count } from '../text/count.ts'
import { choiceField, showFilterForm, textField } from './filter-form.ts'
import { runAsOf } from './find-runs.ts'
import { linksAt, paths, type SiteLink } from './link.ts'
import { queryAfter, readResourceCursor, resourceParameters, showPager } from './list-page.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { readChoice } from './query.ts'
import { onceForRun } from './run-facts.ts'
import { showGaps } from './show-gaps.ts'

const mostOpen = 50

const mostShown = 500

/** Two runs compared: what differs, and which violations ended in between. */
export const comparePage: SitePage = {
  path: '/compare',
  parameters: ['from', 'to', 'project', 'kind', ...resourceParameters],
  isOfRun: false,
  async show(request) {
    const { query, run, isLatest } = request
    const { from, to } = await runsOf(request)
    // What a later run found is not there as of the run of the page.
    const link = isLatest ? request.link : linksAt(Math.max(run.number, from.number, to.number))
    const chosen = { projects: query.all('project'), kind: readChoice(query, 'kind', kinds) }
    const comparison = { from, to, ...chosen, after: readResourceCursor(query) }
    const { rows, omitted, remarks = [], coverage = [] } = await readChanges(request, comparison)
    const total = rows.length + (omitted === 'unknown' ? 0 : omitted)
    const first = { from: from.number, to: to.number, project: chosen.projects, kind: chosen.kind }
    const last = total > rows.length ? rows.at(-1) : undefined
    const next = last && request.link('/compare', { ...first, ...queryAfter(last) })
    const isFirst = comparison.after === undefined
    const pager = showPager({ first: isFirst ? undefined : request.link('/compare', first), next })
    const isAlone = from.number === to.number && query.one('from') === undefined
    const filters = [
      textField('from', 'From run', `such as ${from.number}`),
      textField('to', 'To run', `such as ${to.number}`),
      textField('project', 'Project', 'such as acme/*'),
      choiceField('kind', 'Kind', kinds, 'any'),
    ]
    return {
      title: isAlone ? `Run ${to.number}` : `Run ${from.number} and run ${to.number}`,
      crumbs: [{ title: 'Runs', href: request.link('/runs') }],
      alarm: await showGaps({ history: request.history, link }, coverage),
      body: html`${showFilterForm('/compare', query, filters)}
${isAlone ? showAlone(to) : html`<p>From <a href="${link(paths.run(from.number))}">run ${from.number}</a>, ${showTime(from.started_at)}, to <a href="${link(paths.run(to.number))}">run ${to.number}</a>, ${showTime(to.started_at)}.</p>`}
${remarks.slice(1).map((line) => html`<p class="unseen">? ${line}</p>`)}
${isAlone ? nothing : pageSection({ id: 'changes', title: isFirst ? 'Changes' : 'Further changes', count: total, content: html`${showChanges({ rows, total, isIncomplete: coverage.some(isGap) }, link)}${pager}` })}${isFirst ? await showEnded(request, comparison, link) : nothing}`,
      same: {
        command: ['diff'],
        operands: { from: String(from.number), to: String(to.number) },
        isOfNoRun: true,
        options: { project: chosen.projects, kind: chosen.kind },
      },
      next,
    }
  },
}

/** The run of the page and the one before it, unless the address names others. */
async function runsOf({ history, run, query, now }: SiteRequest): Promise<{ from: CommittedRun; to: CommittedRun }> {
  const last = (await findLastRun(history)) ?? run
  const [named, other] = [query.one('from'), query.one('to')]
  const to = other === undefined ? run : await runAsOf(history, other, { now, last })
  if (named !== undefined) return { from: await runAsOf(history, named, { now, last }), to }
  return { from: (await findRunBefore(history, to.number)) ?? to, to }
}

interface ChangesPage extends ComparedRuns {
  /** Where the page begins; undefined: with the first change. */
  readonly after: ResourceCursor | undefined
}

/** The changes from a cursor on, and how many there are. Two runs never change, so they are compared once. */
function readChanges(request: SiteRequest, { from, to, ...chosen }: ChangesPage) {
  const what = `changes ${JSON.stringify([from.number, to.number, chosen])}`
  return onceForRun(request, what, () =>
    readDiff(request.history, { from, to, ...chosen, withPatch: false, limit: mostShown }),
  )
}

function showAlone({ number }: CommittedRun): Markup {
  return emptyState(`The history has no run before run ${number} with which to compare it.`, 'unknown')
}

function showChanges(
  {
    rows,
    total,
    isIncomplete,
  }: { readonly rows: readonly ReportChange[]; readonly total: number; readonly isIncomplete: boolean },
  link: SiteLink,
): Markup {
  if (total === 0) return emptyState('Nothing differs in what both have scanned.', isIncomplete ? 'unknown' : 'none')
  const cards = rows.map((change) =>
    changeCard(change, [], {
      href: link(paths.resource(change.uid), { project: change.project, kind: change.kind }),
    }),
  )
  const rest = cards.slice(mostOpen)
  const extent =
    total > rows.length ? html`<p class="soft">${rows.length} of ${count(total, 'change')} are shown.</p>` : nothing
  return html`${extent}<ul class="rows">${cards.slice(0, mostOpen)}</ul>${rest.length === 0 ? nothing : foldRest(`${rest.length} more`, html`<ul class="rows">${rest}</ul>`)}`
}

const mostEnded = 50

/** Two runs, and what of them is compared. */
interface ComparedRuns {
  readonly from: CommittedRun
  readonly to: CommittedRun
  readonly projects: readonly string[]
  readonly kind: Kind | undefined
}

/** The violations that ended between two runs. `link`: as of a run that knows both. */
async function showEnded(request: SiteRequest, comparison: ComparedRuns, link: SiteLink): Promise<Markup> {
  const { from, to, projects } = comparison
  if (from.number >= to.number) return nothing
  const { rows, total } = await readEnded(request, comparison)
  const next = await findRunAfter(request.history, from.number)
  const items = rows.map((violation) => {
    const { fingerprint, severity, rule, name, uid, project, resolution, ended_by } = violation
    const run = 'resolved_run' in violation ? `run ${violation.resolved_run}: ` : ''
    return html`<li><p><span class="chip ${severity}">${severity}</span> <a href="${link(paths.violation(fingerprint))}"><code>${rule}</code></a> ${project} · ${name === '' ? uid : name} · ${run}${describeEnding({ resolution, ended_by })}</p></li>
`
  })
  const omitted = total - rows.length
  const section = pageSection({
    id: 'ended',
    title: 'Violations that ended',
    count: total,
    content:
      total === 0
        ? emptyState('None.', 'none')
        : html`<ul class="rows">${items}</ul>${omitted > 0 ? html`<p class="soft">${rows.length} of ${total} are shown; the list below has all.</p>` : nothing}`,
  })
  if (next === undefined) return section
  const list = link('/violations', { since: next.number, state: 'all', project: projects })
  return html`${section}
<p><a href="${list}">Violations opened or ended since run ${next.number}</a></p>`
}

async function readEnded(
  { history }: SiteRequest,
  { from, to, projects, kind }: ComparedRuns,
): Promise<{ readonly rows: readonly (RecordedViolation | ResolvedViolation)[]; readonly total: number }> {
  const ended = (await listViolations(history, { run: to.number, resolvedAfter: from.number })).filter(
    (one) =>
      one.state === 'resolved' && matchesProject(one.project, projects) && (kind === undefined || one.kind === kind),
  )
  return { rows: await readFirst(history, ended, { most: mostEnded }), total: ended.length }
}
