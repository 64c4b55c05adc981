import type { NewApproval, ScopeByKind } from '../history/approvals.ts'
import type { OpenHistory } from '../history/history.ts'
import type { CommittedRun, RecordedScan } from '../history/reader.ts'
import { AuditError } from '../model/errors.ts'
import { isProjectList, policyProject } from '../model/resource.ts'

export type SignedApproval = Pick<NewApproval, 'by' | 'at' | 'osUser' | 'note'>

/**
 * The approvals of what a run left of some projects.
 * @throws AuditError.usage when it did not scan one of them, or not completely: what was not seen cannot be approved
 */
export async function approvalsOf(
  history: OpenHistory,
  run: CommittedRun,
  isChosen: (name: string) => boolean,
  signed: SignedApproval,
): Promise<NewApproval[]> {
  const scanned = (await history.latestScans(run.number)).filter(
    (scan) => scan.run.number === run.number && !isPolicy(scan) && !isProjectList(scan.project),
  )
  const scans = scanned.filter(({ project }) => isChosen(project.name))
  if (scans.length === 0) {
    const names = scanned.map(({ project }) => project.name).join(', ')
    throw AuditError.usage(`run ${run.number} does not include these projects, only ${names || 'none'}`)
  }
  const gaps = scans.flatMap(({ project, coverage }) =>
    coverage
      .filter(({ status }) => status !== 'complete' && status !== 'skipped')
      .map(({ listing, status, reason }) => `${project.name} ${listing} ${status}: ${reason}`),
  )
  if (gaps.length > 0) {
    throw AuditError.usage(`run ${run.number} is incomplete and cannot be approved\n${gaps.join('\n')}`, {
      advice: 'approve a complete run with --run, or other projects with --project',
    })
  }
  const approvals: NewApproval[] = []
  for (const { project } of scans) {
    const scopes = viewsOf(await history.completeScansAt(project, run.number))
    approvals.push({ project, scopes, ...signed, state: { run: run.number } })
  }
  return approvals
}

function isPolicy({ project }: RecordedScan): boolean {
  return project.service === policyProject.service && project.uid === policyProject.uid
}

function viewsOf(lastComplete: Awaited<ReturnType<OpenHistory['completeScansAt']>>): ScopeByKind {
  return Object.fromEntries(
    Object.entries(lastComplete).map(([kind, { listing, filter }]) => [kind, { listing, filter }]),
  )
}
