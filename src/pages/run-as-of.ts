import { findRun } from '../history/find-run.ts'
import type { CommittedRun } from '../history/reader.ts'
import type { SiteHistory } from './page.ts'

/** The last run, or the one of that number, word or time. */
export async function runAsOf(
  history: SiteHistory,
  name: string | undefined,
  { now, last }: { readonly now: number; readonly last: CommittedRun },
): Promise<CommittedRun> {
  if (name === undefined || name === String(last.number)) return last
  return findRun(await history.runs(), name, now)
}
