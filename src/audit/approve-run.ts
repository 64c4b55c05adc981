import type { Looks, NewApproval } from '../history/approvals.ts'
import type { History } from '../history/history.ts'
import type { ProjectLook, SealedRun } from '../history/reader.ts'
import { AuditError } from '../model/errors.ts'
import { policyProject } from '../model/resource.ts'

type Signed = Pick<NewApproval, 'by' | 'at' | 'note'>

/**
 * The approvals of what a run left of some projects.
 * @throws AuditError 2 when it did not look at one of them, or not completely: nobody can approve what was not seen
 */
export async function approvalsOf(
  history: History,
  run: SealedRun,
  isChosen: (name: string) => boolean,
  signed: Signed,
): Promise<NewApproval[]> {
  const looked = (await history.looksAt(run.number)).filter((look) => look.run.number === run.number && !isPolicy(look))
  const looks = looked.filter(({ project }) => isChosen(project.name))
  if (looks.length === 0) {
    const names = looked.map(({ project }) => project.name).join(', ')
    throw new AuditError(2, `run ${run.number} does not include these projects, only ${names || 'none'}`)
  }
  const gaps = looks.flatMap(({ project, coverage }) =>
    coverage
      .filter(({ status }) => status !== 'complete' && status !== 'skipped')
      .map(({ listing, status, reason }) => `${project.name} ${listing} ${status}: ${reason}`),
  )
  if (gaps.length > 0) {
    throw new AuditError(2, `run ${run.number} is incomplete and cannot be approved\n${gaps.join('\n')}`, {
      advice: 'approve a complete run with --run, or other projects with --project',
    })
  }
  const approvals: NewApproval[] = []
  for (const { project } of looks) {
    const looks = viewsOf(await history.baselinesAt(project, run.number))
    approvals.push({ project, looks, ...signed, state: { run: run.number } })
  }
  return approvals
}

function isPolicy({ project }: ProjectLook): boolean {
  return project.service === policyProject.service && project.uid === policyProject.uid
}

function viewsOf(baselines: Awaited<ReturnType<History['baselinesAt']>>): Looks {
  return Object.fromEntries(Object.entries(baselines).map(([kind, { listing, filter }]) => [kind, { listing, filter }]))
}
