import type { ListedAcceptance } from '../history/acceptances.ts'
import { type Approval, signedBy } from '../history/approvals.ts'
import { listAcceptances } from '../history/sql/acceptances.ts'
import { listApprovals } from '../history/sql/approvals.ts'
import type { SiteRequest } from './page.ts'

/** What people had approved by the end of the run of a page; as of the last run, all of it. */
export async function approvalsAsOf({ history, run, isLatest }: SiteRequest): Promise<readonly Approval[]> {
  const approvals = await listApprovals(history)
  return isLatest ? approvals : signedBy(approvals, Date.parse(run.finishedAt))
}

/** The same of what they had accepted. */
export async function acceptancesAsOf({ history, run, isLatest }: SiteRequest): Promise<readonly ListedAcceptance[]> {
  const acceptances = await listAcceptances(history)
  return isLatest ? acceptances : signedBy(acceptances, Date.parse(run.finishedAt))
}
