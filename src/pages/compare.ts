import { matchesProject } from '../config/choose-projects.ts'
import type { CommittedRun, ResolvedViolation } from '../history/reader.ts'
import type { RecordedViolation } from '../history/records.ts'
import type { ReportChange } from '../model/report.ts'
import { type Kind, kinds } from '../model/resource.ts'
import { readDiff } from '../queries/read-diff.ts'
import { isGap } from '../report/gaps.ts'
import { changeCard } from '../report/html/components/change-card.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { foldRest } from '../report/html/components/fold.ts'
import { html, type Markup, nothing } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { showTime } from '../report/text/show-time.ts'
import { count } from '../text/count.ts'
import { choiceField, showFilterForm, textField } from './filter-form.ts'
import { findNext, findPrevious } from './find-runs.ts'
import { linksAt, paths, type SiteLink } from './link.ts'
import type { SitePage, SiteRequest } from './page.ts'
import { readChoice } from './query.ts'
import { runAsOf } from './run-as-of.ts'
import { onceForRun } from './run-facts.ts'
import { showGaps } from './show-gaps.ts'

const mostOpen = 50
const mostShown = 500

/** Two runs compared: what differs, and which violations ended in between. */
export const comparePage: SitePage = {
  path: '/compare',
  parameters: ['from', 'to', 'project', 'kind'],
  isOfRun: false,
  async show(request) {
    const { history, query, run, isLatest } = request
    const { from, to } = await runsOf(request)
    // What a later run found is not there as of the run of the page.
    const link = isLatest ? request.link : linksAt(Math.max(run.number, from.number, to.number))
    const next = await findNext(history, from, to)
    const chosen = { projects: query.all('project'), kind: readChoice(query, 'kind', kinds) }
    const { rows, omitted, remarks = [], coverage = [] } = await readChanges(request, { from, to, ...chosen })
    const total = rows.length + (omitted === 'unknown' ? 0 : omitted)
    const ended = await endedBetween(request, { from, to, ...chosen })
    const filters = [
      textField('from', 'From run', String(from.number)),
      textField('to', 'To run', String(to.number)),
      textField('project', 'Project', 'acme/*'),
      choiceField('kind', 'Kind', kinds, 'any'),
    ]
    return {
      title: `Run ${from.number} and run ${to.number}`,
      crumbs: [{ title: 'Runs', href: request.link('/runs') }],
      alarm: showGaps(coverage, link),
      body: html`${showFilterForm('/compare', query, filters)}
<p>From <a href="${link(paths.run(from.number))}">run ${from.number}</a>, ${showTime(from.startedAt)}, to <a href="${link(paths.run(to.number))}">run ${to.number}</a>, ${showTime(to.startedAt)}.</p>
${remarks.slice(1).map((line) => html`<p class="unseen">? ${line}</p>`)}
${pageSection({ id: 'changes', title: 'Changes', count: total, content: showChanges({ rows, total, isIncomplete: coverage.some(isGap) }, link) })}${showEnded(ended, link)}
${next === undefined ? nothing : html`<p><a href="${link('/violations', { since: next.number, state: 'all', project: chosen.projects })}">Violations opened or resolved since run ${next.number}</a></p>`}`,
      same: {
        ...{ command: ['diff'], operands: { from: String(from.number), to: String(to.number) }, isOfNoRun: true },
        options: { project: chosen.projects, kind: chosen.kind },
      },
    }
  },
}

/** The run of the page and the one before it, unless the address names others. */
async function runsOf({ history, run, query, now }: SiteRequest): Promise<{ from: CommittedRun; to: CommittedRun }> {
  const last = (await history.lastRun()) ?? run
  const [named, other] = [query.one('from'), query.one('to')]
  const to = other === undefined ? run : await runAsOf(history, other, { now, last })
  if (named !== undefined) return { from: await runAsOf(history, named, { now, last }), to }
  return { from: (await findPrevious(history, to)) ?? to, to }
}

interface Comparison {
  readonly from: CommittedRun
  readonly to: CommittedRun
  readonly projects: readonly string[]
  readonly kind: Kind | undefined
}

/** The first changes and how many there are. Two runs never change, so they are compared once. */
function readChanges(request: SiteRequest, { from, to, ...chosen }: Comparison) {
  const what = `changes ${JSON.stringify([from.number, to.number, chosen.projects, chosen.kind])}`
  return onceForRun(request, what, () =>
    readDiff(request.history, { from, to, ...chosen, withPatch: false, limit: mostShown }),
  )
}

interface Ended {
  readonly rows: readonly (RecordedViolation | ResolvedViolation)[]
  readonly total: number
}

async function endedBetween({ history }: SiteRequest, { from, to, projects, kind }: Comparison): Promise<Ended> {
  if (from.number >= to.number) return { rows: [], total: 0 }
  let total = 0
  const rows = await history.firstViolations({
    ...{ run: to.number, withActive: false, resolvedAfter: from.number, withOwner: false, most: mostOpen },
    isChosen(violation) {
      const isChosen = matchesProject(violation.project, projects) && (kind === undefined || violation.kind === kind)
      if (isChosen) total++
      return isChosen
    },
  })
  return { rows, total }
}

interface Changes {
  readonly rows: readonly ReportChange[]
  readonly total: number
  readonly isIncomplete: boolean
}

function showChanges({ rows, total, isIncomplete }: Changes, link: SiteLink): Markup {
  if (total === 0) return emptyState('Nothing differs in what both have scanned.', isIncomplete ? 'unknown' : 'none')
  const cards = rows.map((change) =>
    changeCard(change, [], link(paths.resource(change.uid), { project: change.project, kind: change.kind })),
  )
  const rest = cards.slice(mostOpen)
  const more = total - rows.length
  return html`<ul class="rows">${cards.slice(0, mostOpen)}</ul>${rest.length === 0 ? nothing : foldRest(`${rest.length} more`, html`<ul class="rows">${rest}</ul>`)}${more > 0 ? html`<p class="soft">${rows.length} of ${count(total, 'change')} are shown: choose a project or a kind, or use the command below.</p>` : nothing}`
}

function showEnded({ rows, total }: Ended, link: SiteLink): Markup {
  const items = rows.map((violation) => {
    const { fingerprint, severity, rule, name, uid, project, resolution } = violation
    const run = 'run' in violation ? ` in run ${violation.run}` : ''
    return html`<li><p><span class="chip ${severity}">${severity}</span> <a href="${link(paths.violation(fingerprint))}"><code>${rule}</code></a> ${project} · ${name === '' ? uid : name} · ${resolution ?? 'resolved'}${run}</p></li>
`
  })
  const left = total - rows.length
  return pageSection({
    ...{ id: 'ended', title: 'Violations that ended', count: total },
    content:
      total === 0
        ? emptyState('None.', 'none')
        : html`<ul class="rows">${items}</ul>${left > 0 ? html`<p class="soft">${rows.length} of ${total} are shown; the list below has all.</p>` : nothing}`,
  })
}
