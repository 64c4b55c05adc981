import { findRun } from '../history/find-run.ts'
import { type CommittedRun, findCommittedRun, findLastRun, listRuns } from '../history/sql/runs.ts'
import { AuditError } from '../model/errors.ts'
import { linksAt } from './link.ts'
import type { SiteHistory, SiteRequest } from './page.ts'

/**
 * The last run, or the one of that number, word or time.
 * @throws AuditError.usage when there is no such run
 */
export async function runAsOf(
  history: SiteHistory,
  name: string | undefined,
  { now, last }: { readonly now: number; readonly last: CommittedRun },
): Promise<CommittedRun> {
  if (name === undefined || name === String(last.number)) return last
  if (!/^\d{1,15}$/.test(name)) return findRun(await listRuns(history), name, now)
  const run = await findCommittedRun(history, Number(name))
  if (run !== undefined) return run
  throw AuditError.usage(`there is no committed run ${name}; the last one is ${last.number} (${last.finished_at})`)
}

/** The request of a page of a past run as of the last one; undefined where it is as of that already. */
export async function atLastRun(request: SiteRequest): Promise<SiteRequest | undefined> {
  const run = request.isLatest ? undefined : await findLastRun(request.history)
  return run && { ...request, run, isLatest: true, link: linksAt(undefined) }
}

/** Whether a page shows the present state: as of the last run, also where the address names it. */
export async function isOfLastRun({ history, run, isLatest }: SiteRequest): Promise<boolean> {
  return isLatest || (await findLastRun(history))?.number === run.number
}
