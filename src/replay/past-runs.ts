import type { Circumstances, HistoryReader, ProjectLook, SealedRun } from '../history/reader.ts'
import type { JudgedProject } from '../model/judging.ts'
import { projectKey } from '../model/keys.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { Labels } from '../policy/selector.ts'

export interface PastRun {
  readonly run: SealedRun
  /** Of the projects that the run scanned. */
  readonly looks: readonly ProjectLook[]
  readonly circumstances: Circumstances
}

export async function readPastRuns(history: HistoryReader, runs: readonly SealedRun[]): Promise<PastRun[]> {
  const past: PastRun[] = []
  for (const run of runs) {
    const circumstances = await history.circumstances(run.number)
    if (circumstances === undefined) throw new Error(`run ${run.number} went away while it was read`)
    const looks = (await history.looksAt(run.number)).filter((look) => look.run.number === run.number)
    past.push({ run, looks, circumstances })
  }
  return past
}

/**
 * Whether a run scanned the whole fleet. The history does not say so: a run did when it scanned every project that any
 * run of the same configuration scanned.
 */
export function detectWholeFleets(runs: readonly PastRun[]): (run: PastRun) => boolean {
  const fleets = new Map<string, Set<string>>()
  for (const { looks, circumstances } of runs) {
    const known = fleets.get(circumstances.configurationDigest) ?? new Set()
    fleets.set(circumstances.configurationDigest, known)
    for (const { project } of looks) known.add(projectKey(project))
  }
  return ({ looks, circumstances }) => looks.length === fleets.get(circumstances.configurationDigest)?.size
}

/** Labels of projects, run by run. Equal ones of a project are the same object: what was evaluated under them holds. */
export function rememberLabels(): (projects: readonly JudgedProject[]) => (project: ProjectRef) => Labels {
  const known = new Map<string, Labels>()
  const same = (project: string, labels: Labels): Labels => {
    const key = JSON.stringify([project, labels])
    const kept = known.get(key) ?? labels
    known.set(key, kept)
    return kept
  }
  return (projects) => {
    const labels = new Map(projects.map((one) => [one.project, same(one.project, one.labels)]))
    return ({ name }) => labels.get(name) ?? same(name, {})
  }
}
