import type { ScanDraft } from '../history/history.ts'
import type { CompleteScans } from '../history/records.ts'
import { readCompleteScans } from '../history/sql/scans.ts'
import { noHistory, type ProjectHistory } from '../history/staged.ts'
import type { ProjectRef } from '../model/resource.ts'
import { approvedState, type ExpectedState } from './expected-state.ts'
import { ItemMemory } from './item-memory.ts'
import type { OpenRun } from './open-run.ts'
import { openAcceptances, type ProjectAcceptances } from './project-acceptances.ts'
import { type AuditedProject, CurrentVersions } from './project-scan.ts'
import { gatherChanges, type RecentChanges } from './recent-changes.ts'

/** What the history knows of a project before a run scans it. */
export interface ProjectPast {
  readonly currentVersions: CurrentVersions
  /** Its items as the last scan read them. */
  readonly items: ItemMemory
  /** The last complete walk of each kind. */
  readonly lastComplete: CompleteScans
  /** What earlier runs left of it. */
  readonly history: ProjectHistory
  /** What drift rules compare with instead of the last scan. */
  readonly expected: ExpectedState | undefined
  /** What changed as far back as rules read. */
  readonly recent: RecentChanges
  readonly acceptances: ProjectAcceptances
}

export async function readPast(
  { ref, expected }: AuditedProject,
  { draft, sealer, policy, historyOf }: OpenRun,
): Promise<ProjectPast> {
  const history = await historyOf(ref)
  const currentVersions = new CurrentVersions(await draft.current(ref))
  return {
    currentVersions,
    items: await ItemMemory.open(draft, ref, currentVersions, sealer),
    lastComplete: await readCompleteScans(draft.past, ref, draft.run - 1),
    history,
    expected: expected ?? (await approvedState(draft, ref)),
    recent: gatherChanges(history.modifications, policy.ignore),
    acceptances: await openAcceptances(draft, ref),
  }
}

/** Projects whose past is read together: memory holds what changed lately in so many. */
const readTogether = 100

/**
 * Asks the history for many projects at once, when the first of them is audited. `lookbackMs`: how far back rules read
 * changes; 0 when none does. `now`: start of the run, in milliseconds since the epoch.
 */
export function askTogether(
  draft: ScanDraft,
  projects: readonly ProjectRef[],
  { lookbackMs, now }: { readonly lookbackMs: number; readonly now: number },
): OpenRun['historyOf'] {
  const since = lookbackMs === 0 ? undefined : new Date(Math.max(0, now - lookbackMs)).toISOString()
  const readings = new Map<string, Promise<Map<string, ProjectHistory>>>()
  const ask = async (batch: readonly ProjectRef[]) => new Map(await draft.historiesOf(batch, since))
  return async (project) => {
    const { name } = project
    if (!readings.has(name)) {
      const at = projects.findIndex((each) => each.name === name)
      const next = projects.slice(at + 1, at + readTogether).filter((each) => !readings.has(each.name))
      const batch = [project, ...next]
      const answer = ask(batch)
      for (const each of batch) readings.set(each.name, answer)
    }
    const histories = await readings.get(name)
    const history = histories?.get(name) ?? noHistory
    // A project is audited once; asked for again, it is read again.
    histories?.delete(name)
    readings.delete(name)
    return history
  }
}
