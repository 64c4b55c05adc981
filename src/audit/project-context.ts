import type { ScanDraft } from '../history/history.ts'
import type { CompleteScans } from '../history/records.ts'
import type { Sealer } from '../inventory/sealer.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { IgnoredPath } from '../policy/ignored-paths.ts'
import type { Filters } from '../service/settings.ts'

/** What every step of a project's audit works with. */
export interface ProjectContext {
  readonly draft: ScanDraft
  readonly project: ProjectRef
  readonly sealer: Sealer
  /** Start of the run, in milliseconds since the epoch. */
  readonly now: number
  readonly filters: Filters
  /** Fields whose changes are not drift. */
  readonly ignored: readonly IgnoredPath[]
  /** The last complete walk of each kind, before this run. */
  readonly lastComplete: CompleteScans
  /** Whether the list of sources was ever read to its end. */
  readonly wereSourcesListed: boolean
}

export async function openContext(
  { ref, filters }: { readonly ref: ProjectRef; readonly filters: Filters },
  { draft, sealer, now, ignored }: Pick<ProjectContext, 'draft' | 'sealer' | 'now' | 'ignored'>,
): Promise<ProjectContext> {
  return {
    ...{ draft, project: ref, sealer, now, filters, ignored },
    lastComplete: await draft.completeScansAt(ref, draft.run - 1),
    wereSourcesListed: (await draft.lastShape(ref, 'sources')) !== undefined,
  }
}
