import { isOpen } from '../model/violation.ts'
import { type ActiveCounts, noneActive } from '../queries/read-status.ts'
import { severityAt, stateAt, type ViolationIndex } from '../queries/violation-index.ts'
import type { SiteRequest } from './page.ts'
import { onceForRun, readIndex } from './run-facts.ts'

/** Active violations of each project as of a run, counted once for a run. */
export function readCounts(request: Pick<SiteRequest, 'history' | 'run'>): Promise<ReadonlyMap<string, ActiveCounts>> {
  return onceForRun(request, 'counts by project', async () => countByProject(await readIndex(request)))
}

function countByProject(index: ViolationIndex): ReadonlyMap<string, ActiveCounts> {
  const counts = index.projects.map(noneActive)
  for (let row = 0; row < index.size; row++) {
    const own = counts[index.project[row] ?? 0]
    const state = stateAt(index, row)
    if (own === undefined) continue
    if (isOpen({ state })) own.open[severityAt(index, row)]++
    else if (state === 'waived' || state === 'unknown') own[state]++
  }
  return new Map(index.projects.map((name, at) => [name, counts[at] ?? noneActive()]))
}
