import type { RunInputs } from '../history/reader.ts'
import type { ResourceCount } from '../history/resource-list.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import type { Trend } from '../model/trend.ts'
import type { DueDurations } from '../model/violation.ts'
import { type ActiveViolations, readActive } from '../queries/count-groups.ts'
import { readEvaluations } from '../queries/last-evaluations.ts'
import { type ActiveCounts, countByProject } from '../queries/read-status.ts'
import { findTrend } from '../queries/read-trend.ts'
import type { ViolationOrder } from '../queries/read-violations.ts'
import { sortViolations } from '../queries/sort-violations.ts'
import { indexViolations, type ViolationIndex } from '../queries/violation-index.ts'
import { keepAnswers } from './keep-answers.ts'
import type { SiteRequest } from './page.ts'

/** What readers of all scopes share. With a million violations, an order of them takes 36 MB. */
const answers = keepAnswers(128 * 1024 * 1024)

/** What was found out about a run: it never changes, so it is read once, and forgotten when others need the room. */
export function onceForRun<Value>(
  { history, run }: Pick<SiteRequest, 'history' | 'run'>,
  what: string,
  read: () => Promise<Value>,
): Promise<Value> {
  return answers.once(history, `${run.number} ${run.finishedAt} ${what}`, read)
}

export function readActiveOf(request: Pick<SiteRequest, 'history' | 'run'>): Promise<ActiveViolations> {
  return onceForRun(request, 'active violations', () => readActive(request.history, request.run.number))
}

/** Active violations of each project, counted once for a run. */
export function readCounts(request: Pick<SiteRequest, 'history' | 'run'>): Promise<ReadonlyMap<string, ActiveCounts>> {
  return onceForRun(request, 'counts by project', async () => countByProject((await readActiveOf(request)).groups))
}

/** With owners or resolved violations only where they are asked for: they cost more to read. */
export function readIndex(
  request: Pick<SiteRequest, 'history' | 'run'>,
  { withResolved = false, withOwner = false }: { readonly withResolved?: boolean; readonly withOwner?: boolean } = {},
): Promise<ViolationIndex> {
  const choice = { run: request.run.number, withResolved, withOwner }
  return onceForRun(request, `violations ${withResolved} ${withOwner}`, () => indexViolations(request.history, choice))
}

/** The same in the order asked for. */
export async function readSorted(
  request: SiteRequest,
  { order, ...choice }: Parameters<typeof readIndex>[1] & { readonly order: ViolationOrder },
): Promise<ViolationIndex> {
  const index = await readIndex(request, choice)
  if (order === 'severity') return index
  const dueOf = await readDue(request)
  const what = `violations by ${order} ${choice.withResolved === true} ${choice.withOwner === true}`
  return onceForRun(request, what, async () => sortViolations(index, order, dueOf))
}

export function readScans(request: SiteRequest) {
  return onceForRun(request, 'scans', () => request.history.latestScans(request.run.number))
}

/** How many resources of each kind all projects have: one that is asked for is chosen from them. */
export function readResourceCounts(request: SiteRequest): Promise<readonly ResourceCount[]> {
  return onceForRun(request, 'numbers of resources', async () => {
    const scans = await readScans(request)
    return request.history.countResources(
      scans.map(({ project }) => project),
      request.run.number,
    )
  })
}

export function readTrendOf(request: SiteRequest): Promise<Trend> {
  const { history, run } = request
  return onceForRun(request, 'trend', () => findTrend(history, { run, since: undefined, projects: [] }))
}

export function readInputs(request: SiteRequest): Promise<RunInputs | undefined> {
  return onceForRun(request, 'inputs', () => request.history.runInputs(request.run.number))
}

/** What the last scan of each project recorded of it. */
export function readProjectEvaluations(request: SiteRequest): Promise<ReadonlyMap<string, ProjectEvaluation>> {
  return onceForRun(request, 'evaluations', async () => readEvaluations(request.history, await readScans(request)))
}

/** The due durations of each project's policy when it was last scanned. */
export async function readDue(request: SiteRequest): Promise<(project: string) => DueDurations | undefined> {
  const evaluations = await readProjectEvaluations(request)
  return (project) => evaluations.get(project)?.due
}

/** The time that ages and due dates of a page count to: of a past run, its end. Milliseconds since the epoch. */
export function timeOf({ isLatest, now, run }: SiteRequest): number {
  return isLatest ? now : Date.parse(run.finishedAt)
}
