import type { ProjectEvaluation } from '../../model/evaluation.ts'
import type { Gap } from '../../model/gap.ts'
import { projectKey } from '../../model/resource.ts'
import type { HistoryReader } from '../reader.ts'
import { readRunInputs } from './read-run.ts'
import { leaveOutRenamed, type RecordedScan, readLatestScans } from './scans.ts'

/** What the last scan of each project recorded of it. */
export async function readEvaluations(
  reader: HistoryReader,
  scans: readonly RecordedScan[],
): Promise<ReadonlyMap<string, ProjectEvaluation>> {
  const byProject = new Map<string, ProjectEvaluation>()
  // Of projects that had one name, one after the other, the last one has it.
  for (const [number, ofRun] of Map.groupBy(leaveOutRenamed(scans), ({ run }) => run.number)) {
    const names = new Set(ofRun.map(({ project }) => project.name))
    for (const evaluation of (await readRunInputs(reader, number))?.projects ?? []) {
      if (names.has(evaluation.project)) byProject.set(evaluation.project, evaluation)
    }
  }
  return byProject
}

/** What rules could not evaluate in the last scan of each project up to a run, by `projectKey`. */
export async function readLastGaps(
  reader: HistoryReader,
  run: number | undefined,
): Promise<ReadonlyMap<string, readonly Gap[]>> {
  if (run === undefined) return new Map()
  const scans = await readLatestScans(reader, run)
  const evaluations = await readEvaluations(reader, scans)
  return new Map(scans.map(({ project }) => [projectKey(project), evaluations.get(project.name)?.gaps ?? []]))
}
