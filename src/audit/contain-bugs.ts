import { isHistoryFault } from '../history/is-history-fault.ts'
import { AuditError, classOf } from '../model/errors.ts'
import { auditProject } from './audit-project.ts'
import { dueListings, unasked } from './due-listings.ts'
import type { AuditedProject, ProjectScan } from './project-scan.ts'
import type { ProjectTools } from './project-tools.ts'

/** Is told of a bug that ended the audit of a project. */
export type OnBug = (project: AuditedProject, error: unknown) => void

/**
 * Audits a project so that a bug of ours costs that project and no other: all its listings are `failed`, nothing of it
 * is kept, and the run's exit code is 4. An error of the history or of the run still ends the run.
 */
export async function auditContained(
  project: AuditedProject,
  tools: ProjectTools,
  onBug: OnBug | undefined,
): Promise<ProjectScan> {
  await tools.draft.stageScan(project.ref)
  try {
    return await auditProject(project, tools)
  } catch (error) {
    if (error instanceof AuditError || isHistoryFault(error)) throw error
    onBug?.(project, error)
    const { draft, evaluator } = tools
    await draft.discard(project.ref)
    evaluator.forget(project.ref)
    const walks = dueListings(project).map((listing) => unasked(listing, 'bug', bugReason(error)))
    for (const walk of walks) await draft.stageWalk(project.ref, walk, undefined)
    const statuses = Object.fromEntries(walks.map(({ listing, status }) => [listing, status]))
    return { project, statuses, unobserved: new Set(), untested: new Set(), probed: new Set() }
  }
}

/** Its class says which bug it is; its message could quote what a service sent. */
function bugReason(error: unknown): string {
  return `a bug in hookdrift ended the audit of this project (${classOf(error)}): nothing of it was kept. The log says where; please report it`
}
