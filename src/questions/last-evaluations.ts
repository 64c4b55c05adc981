import type { HistoryReader } from '../history/reader.ts'
import { readRunInputs } from '../history/sql/read-run.ts'
import { leaveOutRenamed, type RecordedScan } from '../history/sql/scans.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import { matchesGlob } from '../model/glob.ts'

export interface Label {
  readonly name: string
  readonly value: string
}

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

/** What a scan recorded that rules could not evaluate, as reports have it. */
export function omissionsIn({ project, not_evaluated, doubts = {}, rows_unread = {} }: ProjectEvaluation) {
  return { project, not_evaluated, doubts, rows_unread }
}

/** Whether a project had these labels when it was last scanned. */
export function labelTest(
  evaluations: ReadonlyMap<string, ProjectEvaluation>,
  labels: readonly Label[],
): (project: string) => boolean {
  return (project) => {
    const projectLabels = evaluations.get(project)?.labels ?? {}
    return labels.every(
      ({ name, value }) => Object.hasOwn(projectLabels, name) && matchesGlob(projectLabels[name] ?? '', value),
    )
  }
}
