import type { ResourceCount } from '../history/resource-list.ts'
import { readEvaluations } from '../history/sql/last-evaluations.ts'
import { countResources } from '../history/sql/list-resources.ts'
import { type ListedViolation, listViolations } from '../history/sql/list-violations.ts'
import { lastNote } from '../history/sql/notes.ts'
import { type RunInputs, readRunInputs } from '../history/sql/read-run.ts'
import { lastPruning } from '../history/sql/runs.ts'
import { leaveOutRenamed, readLatestScans } from '../history/sql/scans.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import type { Trend } from '../model/trend.ts'
import type { DueDurations } from '../model/violation.ts'
import { presentScans } from '../questions/as-of.ts'
import { findTrend } from '../questions/trend.ts'
import type { SiteHistory, SiteRequest } from './page.ts'

/** The last answers about each history, by their names: those asked for last come last. */
const answers = new WeakMap<SiteHistory, Map<string, Promise<unknown>>>()

/** How many answers about a history are kept. */
const mostAnswers = 50

/**
 * What was found out about a run: it changes only when runs are pruned, so it is read once, and forgotten when others need
 * the room. A trend or a report of a run takes seconds where many violations ended; lists are read anew.
 */
export async function onceForRun<Value>(
  { history, run }: Pick<SiteRequest, 'history' | 'run'>,
  what: string,
  read: () => Promise<Value>,
): Promise<Value> {
  const kept = answers.get(history) ?? new Map<string, Promise<unknown>>()
  answers.set(history, kept)
  const name = `${run.number} ${run.finished_at} ${await history.ask(lastPruning)} ${what}`
  const answer = kept.get(name) ?? read()
  kept.delete(name)
  kept.set(name, answer)
  answer.catch(() => kept.get(name) === answer && kept.delete(name))
  for (const oldest of [...kept.keys()].slice(0, -mostAnswers)) kept.delete(oldest)
  // What is kept under a name is what its reader returned.
  return answer as ReturnType<typeof read>
}

/** The same of what names notes: until people note more. */
export async function onceForNotes<Value>(
  request: Pick<SiteRequest, 'history' | 'run'>,
  what: string,
  read: () => Promise<Value>,
): Promise<Value> {
  return onceForRun(request, `${what}, with note ${await lastNote(request.history)}`, read)
}

/** The active violations of all projects. */
export function readActive(request: Pick<SiteRequest, 'history' | 'run'>): Promise<readonly ListedViolation[]> {
  return listViolations(request.history, { run: request.run.number })
}

export function readScans(request: Pick<SiteRequest, 'history' | 'run'>) {
  return onceForRun(request, 'scans', () => readLatestScans(request.history, request.run.number))
}

/** How many resources of each kind all projects have: one that is asked for is chosen from them. */
export function readResourceCounts(request: SiteRequest): Promise<readonly ResourceCount[]> {
  return onceForRun(request, 'numbers of resources', async () => {
    const scans = await readScans(request)
    return countResources(
      request.history,
      scans.map(({ project }) => project),
      request.run.number,
    )
  })
}

export function readTrendOf(request: SiteRequest): Promise<Trend> {
  const { history, run } = request
  return onceForNotes(request, 'trend', () => findTrend(history, { run, since: undefined, projects: [] }))
}

export function readInputs(request: SiteRequest): Promise<RunInputs | undefined> {
  return onceForRun(request, 'inputs', () => readRunInputs(request.history, request.run.number))
}

/** What the last scan of each project recorded of it. */
export function readProjectEvaluations(request: SiteRequest): Promise<ReadonlyMap<string, ProjectEvaluation>> {
  return onceForRun(request, 'evaluations', async () => readEvaluations(request.history, await readScans(request)))
}

/** What rules could not evaluate in projects that are chosen, as of the last scan of each. Default: in all. */
export async function readGaps(request: SiteRequest, isChosen: (project: string) => boolean = () => true) {
  const evaluations = await readProjectEvaluations(request)
  const scans = presentScans((await readScans(request)).filter(({ project }) => isChosen(project.name)))
  return leaveOutRenamed(scans).flatMap(({ project }) => evaluations.get(project.name)?.gaps ?? [])
}

/** The due durations of each project's policy when it was last scanned. */
export async function readDue(request: SiteRequest): Promise<(project: string) => DueDurations | undefined> {
  const evaluations = await readProjectEvaluations(request)
  return (project) => evaluations.get(project)?.due
}

/** The time that ages and due dates of a page count to: of a past run, its end. Milliseconds since the epoch. */
export function timeOf({ isLatest, now, run }: SiteRequest): number {
  return isLatest ? now : Date.parse(run.finished_at)
}
