import type { CommittedRun } from '../history/reader.ts'
import type { SiteHistory } from './page.ts'

/** Few runs are interrupted in a row; should more be, the previous one is not found. */
const margin = 50

/** The committed run before another; undefined for the first one. Reads a few runs, not all of a history. */
export async function findPrevious(history: SiteHistory, run: CommittedRun): Promise<CommittedRun | undefined> {
  return (await history.runsBefore(run.number, margin)).find(({ isCommitted }) => isCommitted)
}
