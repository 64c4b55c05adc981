import { signedBy } from '../history/approvals.ts'
import type { SiteHistory, SiteRequest } from './page.ts'

/** The history with what people had signed by the end of the run of a page; as of the last run, with all of it. */
export function historyAsOf({ history, run, isLatest }: SiteRequest): SiteHistory {
  if (isLatest) return history
  const end = Date.parse(run.finishedAt)
  return {
    ...history,
    approvals: async () => signedBy(await history.approvals(), end),
    acceptances: async () => signedBy(await history.acceptances(), end),
  }
}
