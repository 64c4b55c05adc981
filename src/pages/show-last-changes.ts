import type { HistoryReader } from '../history/reader.ts'
import type { RecordedChange } from '../history/records.ts'
import { readNotesOf } from '../history/sql/notes.ts'
import { readRunInputs } from '../history/sql/read-run.ts'
import { type CommittedRun, listRunsBefore, readRunExtents } from '../history/sql/runs.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import { isNoteOf, type Note } from '../model/note.ts'
import { sayMeanwhile } from '../report/describe-notes.ts'
import { describeWindows } from '../report/describe-window.ts'
import { list } from '../report/document/blocks.ts'
import { asHtml } from '../report/document/html.ts'
import { emptyState, showInstant } from '../report/html/components/parts.ts'
import { html, type Markup } from '../report/html/markup.ts'
import { pageSection } from '../report/html/render-page.ts'
import { changeItem } from '../report/report-items.ts'
import { paths, reportLinks, type SiteLink } from './link.ts'
import type { SiteRequest } from './page.ts'
import { onceForNotes, onceForRun } from './run-facts.ts'

/** Older changes are in the timelines of their resources. */
const [mostRuns, mostShown] = [20, 10]

interface RunChanges {
  readonly run: CommittedRun
  readonly changes: readonly AnnouncedChange[]
  /** With those that are not shown. */
  readonly total: number
}

/** A change, with the sentence about the window in which it may have been made, and what people did meanwhile. */
interface AnnouncedChange {
  readonly change: RecordedChange
  readonly window: string
  readonly notes: readonly Note[]
}

/** What the last runs found changed, the newest first: in one project, or in all. */
export async function showLastChanges(request: SiteRequest, project?: string): Promise<Markup> {
  const { link } = request
  const changesOfRuns = await onceForNotes(request, `changes of ${project ?? 'all'}`, () =>
    readChangesOf(request, project),
  )
  const parts = changesOfRuns.map(
    ({
      run,
      changes,
      total,
    }) => html`<h3><a href="${link(paths.run(run.number))}">Run ${run.number}</a>, ${showInstant(run.started_at)} <span class="count">${changes.length === total ? total : `${changes.length} of ${total}`}</span></h3>
${showChanges(changes, link)}`,
  )
  return pageSection({
    id: 'changes',
    title: 'Last changes',
    content: parts.length === 0 ? await showNone(request, project) : html`${parts}`,
  })
}

/** That the last runs found no change; they may have scanned a part, or other projects only. */
async function showNone(request: SiteRequest, project: string | undefined): Promise<Markup> {
  const extents = await onceForRun(request, `extents of ${project ?? 'all'}`, () => readExtentsOf(request, project))
  const scanned = new Set(extents.map(({ run }) => run)).size
  if (scanned === 0) {
    const what = project === undefined ? 'anything' : 'it'
    return emptyState(`None of the last ${mostRuns} runs scanned ${what}: what changed is unknown.`, 'unknown')
  }
  const isWhole = extents.every(({ incomplete }) => incomplete === 0)
  const limits = isWhole ? '' : ' in what was scanned; the rest is unknown'
  const runs = scanned === 1 ? 'The last run' : `The last ${scanned} runs`
  const which = project === undefined ? '' : ' that scanned it'
  return emptyState(`${runs}${which} found no change${limits}.`, isWhole ? 'none' : 'unknown')
}

async function readExtentsOf({ history, run }: SiteRequest, project: string | undefined) {
  const first = (await listRunsBefore(history, run.number + 1, mostRuns)).at(-1)?.number ?? run.number
  const extents = await readRunExtents(history, first, run.number)
  return extents.filter((extent) => project === undefined || extent.project.name === project)
}

/** Changes with what was announced and noted of each. */
export function showChanges(changes: readonly AnnouncedChange[], link: SiteLink): Markup {
  const items = changes.map(({ change, window, notes }) =>
    changeItem(change, { more: sayMeanwhile(window, notes, change.between.before) }),
  )
  return asHtml(list('change', items), reportLinks(link))
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
    const { changes: all = [], projects = [] } = (await readRunInputs(history, ended.number)) ?? {}
    const ofProject = project === undefined ? all : all.filter((change) => change.project === project)
    if (ofProject.length === 0) continue
    const changes = await announceChanges(history, ofProject.slice(0, room), projects)
    changesOfRuns.push({ run: ended, changes, total: ofProject.length })
    room -= Math.min(room, ofProject.length)
  }
  return changesOfRuns
}

/** Some changes of a run, with what was announced and noted of them. `projects`: what the run recorded of each. */
export async function announceChanges(
  history: HistoryReader,
  changes: readonly RecordedChange[],
  projects: readonly ProjectEvaluation[],
): Promise<readonly AnnouncedChange[]> {
  const notes = await readNotesOf(history, changes)
  return changes.map((change) => ({
    change,
    window: describeWindows([change], projects),
    notes: notes.filter((note) => isNoteOf(note, change.project, change.between)),
  }))
}
