import { findRun } from '../history/find-run.ts'
import { type CommittedRun, findCommittedRun, findLastRun, listRuns, listRunsBefore } from '../history/sql/runs.ts'
import { AuditError } from '../model/errors.ts'
import { linksAt } from './link.ts'
import type { SiteHistory, SiteRequest } from './page.ts'

/** Few runs are interrupted in a row; should more be, the neighbour of a run is not found. */
const margin = 50

/** The committed run before another; undefined for the first one. Reads a few runs, not all of a history. */
export async function findPrevious(history: SiteHistory, run: CommittedRun): Promise<CommittedRun | undefined> {
  return (await listRunsBefore(history, run.number, margin)).find(({ isCommitted }) => isCommitted)
}

/** The committed run after another, up to `last`; undefined where there is none. Reads a few runs, likewise. */
export async function findNext(
  history: SiteHistory,
  { number }: CommittedRun,
  last: CommittedRun,
): Promise<CommittedRun | undefined> {
  for (let next = number + 1; next <= Math.min(last.number, number + margin); next++) {
    const run = await findCommittedRun(history, next)
    if (run !== undefined) return run
  }
  return undefined
}

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
  throw AuditError.usage(`there is no committed run ${name}; the last one is ${last.number} (${last.finishedAt})`)
}

/** The request of a page of a past run as of the last one; undefined where it is as of that already. */
export async function atLastRun(request: SiteRequest): Promise<SiteRequest | undefined> {
  const run = request.isLatest ? undefined : await findLastRun(request.history)
  return run && { ...request, run, isLatest: true, link: linksAt(undefined) }
}
