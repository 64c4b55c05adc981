import type { CommittedRun, EndedRun } from '../history/reader.ts'
import type { SiteHistory } from './page.ts'

/** How a run ended, and the committed run before it. */
export interface RunWithPrevious {
  /** undefined where only the committed part of it is known. */
  readonly ended: EndedRun | undefined
  /** undefined for the first one. */
  readonly previous: CommittedRun | undefined
}

/** Few runs are interrupted in a row; should more be, the previous one is not found. */
const margin = 50

/** Reads the last few runs, not all of a history. */
export async function withPrevious(history: SiteHistory, run: CommittedRun): Promise<RunWithPrevious> {
  const last = (await history.lastRun())?.number ?? run.number
  const { runs } = await history.endedRuns(last - run.number + margin)
  return {
    ended: runs.find(({ number }) => number === run.number),
    previous: runs.find(({ number, isCommitted }) => isCommitted && number < run.number),
  }
}
