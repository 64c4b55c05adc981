import { type CommittedRun, findCommittedRun, listRunsBefore } from '../history/sql/runs.ts'
import type { SiteHistory } from './page.ts'

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
