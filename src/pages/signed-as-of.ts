import type { ListedAcceptance } from '../history/acceptances.ts'
import { type Approval, signedBy } from '../history/approvals.ts'
import { listAcceptances } from '../history/sql/acceptances.ts'
import { listApprovals } from '../history/sql/approvals.ts'
import { type ProjectRef, projectKey } from '../model/resource.ts'
import type { SiteRequest } from './page.ts'
import { readScans } from './run-facts.ts'

/** What people had approved by the end of the run of a page; as of the last run, all of it. */
export async function approvalsAsOf(request: SiteRequest): Promise<readonly Approval[]> {
  return asOf(request, await listApprovals(request.history), signedBy)
}

/** The same of what they had accepted. */
export async function acceptancesAsOf(request: SiteRequest): Promise<readonly ListedAcceptance[]> {
  return asOf(request, await listAcceptances(request.history), signedBy)
}

/** With the names that projects had then. */
async function asOf<Signed extends { readonly project: ProjectRef }>(
  request: SiteRequest,
  all: readonly Signed[],
  signedBy: (all: readonly Signed[], time: number) => readonly Signed[],
): Promise<readonly Signed[]> {
  if (request.isLatest) return all
  const names = new Map((await readScans(request)).map(({ project }) => [projectKey(project), project.name]))
  return signedBy(all, Date.parse(request.run.finished_at)).map((one) => {
    const name = names.get(projectKey(one.project)) ?? one.project.name
    return { ...one, project: { ...one.project, name } }
  })
}
