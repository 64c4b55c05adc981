import type { HistoryReader } from '../history/reader.ts'
import { type RunInputs, readRunInputs } from '../history/sql/read-run.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { type RecordedScan, readLatestScans } from '../history/sql/scans.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import { isProjectList, type ProjectRef, projectKey } from '../model/resource.ts'
import type { Labels } from '../policy/selector.ts'

export interface PastRun {
  readonly run: CommittedRun
  /** Of the projects that the run scanned. */
  readonly scans: readonly RecordedScan[]
  readonly runInputs: RunInputs
}

export async function readPastRuns(history: HistoryReader, runs: readonly CommittedRun[]): Promise<PastRun[]> {
  const past: PastRun[] = []
  for (const run of runs) {
    const runInputs = await readRunInputs(history, run.number)
    if (runInputs === undefined) throw new Error(`run ${run.number} went away while it was read`)
    const scans = (await readLatestScans(history, run.number)).filter(
      (scan) => scan.run.number === run.number && !isProjectList(scan.project),
    )
    past.push({ run, scans, runInputs })
  }
  return past
}

/**
 * Whether a run scanned the whole fleet. The history does not say so: a run did when it scanned every project that any
 * run of the same configuration scanned.
 */
export function detectWholeFleets(runs: readonly PastRun[]): (run: PastRun) => boolean {
  const fleets = new Map<string, Set<string>>()
  for (const { scans, runInputs } of runs) {
    const known = fleets.get(runInputs.configurationDigest) ?? new Set()
    fleets.set(runInputs.configurationDigest, known)
    for (const { project } of scans) known.add(projectKey(project))
  }
  return ({ scans, runInputs }) => scans.length === fleets.get(runInputs.configurationDigest)?.size
}

/** Labels of projects, run by run. Equal ones of a project are the same object: what was evaluated under them holds. */
export function rememberLabels(): (projects: readonly ProjectEvaluation[]) => (project: ProjectRef) => Labels {
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
