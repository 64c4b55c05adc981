import type { CommittedRun } from '../history/reader.ts'
import type { SiteHistory } from './page.ts'

const mostKept = 4

/**
 * Remembers what was read of the last few runs that were asked for. An answer as of a run never changes, so it is read
 * once for each history.
 */
export function oncePerRun<Answer>(
  read: (history: SiteHistory, run: CommittedRun) => Promise<Answer>,
): (history: SiteHistory, run: CommittedRun) => Promise<Answer> {
  const known = new WeakMap<SiteHistory, Map<number, Promise<Answer>>>()
  return (history, run) => {
    const ofHistory = known.get(history) ?? new Map<number, Promise<Answer>>()
    known.set(history, ofHistory)
    const kept = ofHistory.get(run.number)
    if (kept !== undefined) return kept
    const answer = read(history, run)
    ofHistory.set(run.number, answer)
    answer.catch(() => ofHistory.delete(run.number))
    const [oldest] = ofHistory.keys()
    if (ofHistory.size > mostKept && oldest !== undefined) ofHistory.delete(oldest)
    return answer
  }
}
