import type { EndedRun, HistoryReader } from './reader.ts'
import { isSeenProject, type Visibility } from './visibility.ts'

/**
 * Runs with the numbers of the projects that a reader may know of. They have no verdict: it counts all projects, and that
 * of some would take their violations in each run.
 */
export async function countVisible(
  runs: readonly EndedRun[],
  history: Pick<HistoryReader, 'runExtents'>,
  visibility: Visibility,
): Promise<EndedRun[]> {
  const numbers = runs.map(({ number }) => number)
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)]
  const extents = runs.length === 0 ? [] : await history.runExtents(first, last)
  const seen = extents.filter(({ project, incomplete }) => isSeenProject(visibility, project, incomplete === 0))
  const byRun = Map.groupBy(seen, ({ run }) => run)
  return runs.map((run) => {
    const own = byRun.get(run.number) ?? []
    const sum = (member: 'walks' | 'incomplete' | 'changes') => own.reduce((total, row) => total + row[member], 0)
    const counts = { walks: sum('walks'), incomplete: sum('incomplete'), changes: sum('changes') }
    return { ...run, ...counts, exitCode: null }
  })
}
