import type { ListedAcceptance } from '../history/acceptances.ts'
import { type Approval, signedBy } from '../history/approvals.ts'
import type { HistoryReader } from '../history/reader.ts'
import { listAcceptances } from '../history/sql/acceptances.ts'
import { listApprovals } from '../history/sql/approvals.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { type ProjectRef, projectKey } from '../model/resource.ts'

/** What people had approved by the end of a run; undefined: all of it. */
export async function approvalsAsOf(
  reader: HistoryReader,
  run: CommittedRun | undefined,
): Promise<readonly Approval[]> {
  return asOf(reader, run, await listApprovals(reader), signedBy)
}

/** The same of what they had accepted. */
export async function acceptancesAsOf(
  reader: HistoryReader,
  run: CommittedRun | undefined,
): Promise<readonly ListedAcceptance[]> {
  return asOf(reader, run, await listAcceptances(reader), signedBy)
}

/** With the names that projects had then. */
async function asOf<Signed extends { readonly project: ProjectRef }>(
  reader: HistoryReader,
  run: CommittedRun | undefined,
  all: readonly Signed[],
  signedBy: (all: readonly Signed[], time: number) => readonly Signed[],
): Promise<readonly Signed[]> {
  if (run === undefined) return all
  const scans = await readLatestScans(reader, run.number)
  const names = new Map(scans.map(({ project }) => [projectKey(project), project.name]))
  return signedBy(all, Date.parse(run.finished_at)).map((one) => {
    const name = names.get(projectKey(one.project)) ?? one.project.name
    return { ...one, project: { ...one.project, name } }
  })
}
