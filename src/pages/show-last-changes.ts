import { readRunInputs } from '../history/sql/read-run.ts'
import { type CommittedRun, listRunsBefore } from '../history/sql/runs.ts'
import type { ReportChange } from '../model/report.ts'
import { changeCard } from '../report/html/components/change-card.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { showTime } from '../report/text/show-time.ts'
import { paths } from './link.ts'
import type { SiteRequest } from './page.ts'
import { onceForRun } from './run-facts.ts'

/** Older changes are in the timelines of their resources. */
const [mostRuns, mostShown] = [20, 10]

interface RunChanges {
  readonly run: CommittedRun
  readonly changes: readonly ReportChange[]
  /** With those that are not shown. */
  readonly total: number
}

/** What the last runs found changed, the newest first: in one project, or in all. */
export async function showLastChanges(request: SiteRequest, project?: string): Promise<Markup> {
  const { link } = request
  const changesOfRuns = await onceForRun(request, `changes of ${project ?? 'all'}`, () =>
    readChangesOf(request, project),
  )
  const parts = changesOfRuns.map(
    ({
      run,
      changes,
      total,
    }) => html`<h3><a href="${link(paths.run(run.number))}">Run ${run.number}</a>, <time datetime="${run.startedAt}">${showTime(run.startedAt)}</time> <span class="count">${changes.length === total ? total : `${changes.length} of ${total}`}</span></h3>
<ul class="rows">
${changes.map((change) => changeCard(change, [], { href: link(paths.resource(change.uid), { project: change.project, kind: change.kind }) }))}</ul>
`,
  )
  return pageSection({
    id: 'changes',
    title: 'Last changes',
    content: parts.length === 0 ? emptyState(`The last ${mostRuns} runs found no change.`, 'none') : html`${parts}`,
  })
}

async function readChangesOf(
  { history, run }: SiteRequest,
  project: string | undefined,
): Promise<readonly RunChanges[]> {
  const changesOfRuns: RunChanges[] = []
  let room = mostShown
  for (const { isCommitted, changes: number, ...ended } of await listRunsBefore(history, run.number + 1, mostRuns)) {
    if (room === 0) break
    if (!isCommitted || number === 0) continue
    const { changes: all = [] } = (await readRunInputs(history, ended.number)) ?? {}
    const ofProject = project === undefined ? all : all.filter((change) => change.project === project)
    if (ofProject.length === 0) continue
    changesOfRuns.push({ run: ended, changes: ofProject.slice(0, room), total: ofProject.length })
    room -= Math.min(room, ofProject.length)
  }
  return changesOfRuns
}
