import { AuditError, classOf } from '../model/errors.ts'
import type { AuditedProject } from './audited-project.ts'
import { dueListings, unreadFilters, unreadListing } from './due-listings.ts'
import type { OpenRun } from './open-run.ts'
import type { ProjectOutcome } from './project-outcome.ts'
import { discardProject, scanProject } from './scan-project.ts'

/**
 * Audits a project so that a bug of ours costs that project and no other: all its listings are `failed`, nothing of it
 * is kept, and the run's exit code is 4. An error of the history or of the run still ends the run.
 */
export async function auditContained(project: AuditedProject, run: OpenRun): Promise<ProjectOutcome> {
  const { draft, onBug } = run
  await draft.stageScan(project.ref)
  try {
    return await scanProject(project, run)
  } catch (error) {
    if (error instanceof AuditError) throw error
    onBug?.(project, error)
    const walks = dueListings(project).map((listing) => unreadListing(listing, 'bug', bugReason(error)))
    const statuses = Object.fromEntries(walks.map(({ listing, status }) => [listing, status]))
    const outcome = await discardProject(project, statuses, run)
    const filters = unreadFilters(project, 'bug', bugReason(error))
    const rows = filters === undefined ? [] : [filters]
    for (const walk of [...walks, ...rows]) await draft.stageWalk(project.ref, walk, undefined)
    return outcome
  }
}

/** Its class says which bug it is; its message could quote what a service sent. */
function bugReason(error: unknown): string {
  return `a bug in hookdrift ended the audit of this project (${classOf(error)}): nothing of it was kept. The log says where; please report it`
}
