import type { ResourceCount } from '../history/resource-list.ts'
import {
  type GroupChoice,
  readViolatedRules,
  readViolationGroups,
  type ViolationGroup,
} from '../history/sql/first-violations.ts'
import { countResources } from '../history/sql/list-resources.ts'
import { lastNote } from '../history/sql/notes.ts'
import { type RunInputs, readRunInputs } from '../history/sql/read-run.ts'
import { lastPruning } from '../history/sql/runs.ts'
import { leaveOutRenamed, readLatestScans } from '../history/sql/scans.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import type { Trend } from '../model/trend.ts'
import type { DueDurations } from '../model/violation.ts'
import { presentScans, toCoverage } from '../questions/as-of.ts'
import { type ActiveViolations, readActive } from '../questions/count-groups.ts'
import { omissionsIn, readEvaluations } from '../questions/last-evaluations.ts'
import { type ActiveCounts, countByProject } from '../questions/status.ts'
import { findTrend } from '../questions/trend.ts'
import { omissionsOf } from '../report/verdict.ts'
import { keepAnswers } from './keep-answers.ts'
import type { SiteRequest } from './page.ts'

/** What readers of all scopes share: mostly groups of violations. */
const answers = keepAnswers(128 * 1024 * 1024)

/**
 * What was found out about a run: it changes only when runs are pruned, so it is read once, and forgotten when others need
 * the room.
 */
export async function onceForRun<Value>(
  { history, run }: Pick<SiteRequest, 'history' | 'run'>,
  what: string,
  read: () => Promise<Value>,
): Promise<Value> {
  return answers.once(history, `${run.number} ${run.finished_at} ${await history.ask(lastPruning)} ${what}`, read)
}

/** The same of what names notes: until people note more. */
export async function onceForNotes<Value>(
  request: Pick<SiteRequest, 'history' | 'run'>,
  what: string,
  read: () => Promise<Value>,
): Promise<Value> {
  return onceForRun(request, `${what}, with note ${await lastNote(request.history)}`, read)
}

export function readActiveOf(request: Pick<SiteRequest, 'history' | 'run'>): Promise<ActiveViolations> {
  return onceForRun(request, 'active violations', () => readActive(request.history, request.run.number))
}

/** Active violations of each project, counted once for a run. */
export function readCounts(request: Pick<SiteRequest, 'history' | 'run'>): Promise<ReadonlyMap<string, ActiveCounts>> {
  return onceForRun(request, 'counts by project', async () => countByProject((await readActiveOf(request)).groups))
}

/** Groups of violations, counted once for a run. */
export async function readGroups(
  request: Pick<SiteRequest, 'history' | 'run'>,
  choice: Omit<GroupChoice, 'run' | 'resolvedAfter'> & { readonly withResolved: boolean },
): Promise<readonly ViolationGroup[]> {
  const { by, rules = [], owners = [], text } = choice
  const isOfAll = [by, rules, owners].every((list) => list.length === 0) && text === undefined
  const read = (withActive: boolean) =>
    onceForRun(request, `groups ${JSON.stringify([withActive, by, rules, owners, text])}`, async () => {
      const groups: ViolationGroup[] = []
      const groupChoice = { run: request.run.number, withActive, resolvedAfter: withActive ? undefined : 0 }
      await readViolationGroups(request.history, { ...groupChoice, by, rules, owners, text }, (group) =>
        groups.push(group),
      )
      return groups
    })
  const active = isOfAll ? async () => (await readActiveOf(request)).groups : () => read(true)
  return [...(choice.withActive ? await active() : []), ...(choice.withResolved ? await read(false) : [])]
}

/** The rules and the projects of violations; of resolved ones only where they are asked for. */
export async function readViolated(
  request: Pick<SiteRequest, 'history' | 'run'>,
  withResolved: boolean,
): Promise<{ readonly rules: readonly string[]; readonly projects: readonly string[] }> {
  const { history, run } = request
  if (withResolved) {
    return onceForRun(request, 'violated rules', async () => {
      const violated = await readViolatedRules(history, run.number)
      return {
        rules: namesOf(violated.map(({ rule }) => rule)),
        projects: namesOf(violated.map(({ project }) => project)),
      }
    })
  }
  const { groups, active } = await readActiveOf(request)
  return { rules: namesOf(active), projects: namesOf(groups.map(({ project }) => project)) }
}

function namesOf(all: readonly string[]): readonly string[] {
  return [...new Set(all)].sort()
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
export async function readOmissions(request: SiteRequest, isChosen: (project: string) => boolean = () => true) {
  const evaluations = await readProjectEvaluations(request)
  const scans = presentScans((await readScans(request)).filter(({ project }) => isChosen(project.name)))
  const projects = leaveOutRenamed(scans).flatMap(({ project }) => evaluations.get(project.name) ?? [])
  return omissionsOf({ projects: projects.map(omissionsIn), coverage: scans.flatMap(toCoverage) })
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
