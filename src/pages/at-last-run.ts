import { findLastRun } from '../history/sql/runs.ts'
import { linksAt } from './link.ts'
import type { SiteRequest } from './page.ts'

/** The request of a page of a past run as of the last one; undefined where it is as of that already. */
export async function atLastRun(request: SiteRequest): Promise<SiteRequest | undefined> {
  const run = request.isLatest ? undefined : await findLastRun(request.history)
  return run && { ...request, run, isLatest: true, link: linksAt(undefined) }
}
