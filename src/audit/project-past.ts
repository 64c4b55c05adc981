import type { ViolationWithOrigin } from '../history/history.ts'
import type { CompleteScans } from '../history/records.ts'
import { approvedState, type ExpectedState } from './expected-state.ts'
import { KnownVersions } from './known-versions.ts'
import type { OpenRun } from './open-run.ts'
import { openAcceptances, type ProjectAcceptances } from './project-acceptances.ts'
import type { AuditedProject } from './project-scan.ts'
import { gatherChanges, type RecentChanges } from './recent-changes.ts'

/** What the history knows of a project before a run scans it. */
export interface ProjectPast {
  readonly known: KnownVersions
  /** The last complete walk of each kind. */
  readonly lastComplete: CompleteScans
  /** Whether the list of sources was ever read to its end. */
  readonly wereSourcesListed: boolean
  /** What drift rules compare with instead of the last scan. */
  readonly expected: ExpectedState | undefined
  /** What changed as far back as rules read. */
  readonly recent: RecentChanges
  /** Violations that a comparison with an earlier version decides. */
  readonly followed: readonly ViolationWithOrigin[]
  readonly acceptances: ProjectAcceptances
}

export async function readPast(
  { ref, expected }: AuditedProject,
  { draft, policy, evaluator: { lookbackMs }, now }: OpenRun,
): Promise<ProjectPast> {
  // Where no rule reads past changes, nothing is read.
  const since = new Date(Math.max(0, now - lookbackMs)).toISOString()
  return {
    known: new KnownVersions(await draft.current(ref)),
    lastComplete: await draft.completeScansAt(ref, draft.run - 1),
    wereSourcesListed: (await draft.lastShape(ref, 'sources')) !== undefined,
    expected: expected ?? (await approvedState(draft, ref)),
    recent: gatherChanges(lookbackMs === 0 ? [] : await draft.modifiedSince(ref, since), policy.ignore),
    followed: await draft.violationsWithOrigin(ref),
    acceptances: await openAcceptances(draft, ref),
  }
}
