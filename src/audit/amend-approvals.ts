import { type Approval, type ApprovedResource, activeApprovals, type NewApproval } from '../history/approvals.ts'
import { amendedIn } from '../history/approved-state.ts'
import type { OpenHistory } from '../history/history.ts'
import type { CommittedRun } from '../history/reader.ts'
import { AuditError } from '../model/errors.ts'
import { projectKey, resourceKey } from '../model/keys.ts'
import type { Kind, ProjectRef } from '../model/resource.ts'
import { approvalsOf, type SignedApproval } from './approve-run.ts'

interface Named {
  readonly kind: Kind
  readonly uid: string
}

/**
 * Approvals of single resources as a run left them: present or gone. The rest of each project's state stays as it was
 * approved before.
 * @throws AuditError.usage for a uid that neither the run nor the approved state has, where no state is approved, and as
 * `approvalsOf`
 */
export async function amendedApprovalsOf(
  history: OpenHistory,
  run: CommittedRun,
  { uids, isChosen }: { readonly uids: readonly string[]; readonly isChosen: (name: string) => boolean },
  signed: SignedApproval,
): Promise<NewApproval[]> {
  const active = activeApprovals(await history.approvals()).filter(({ project }) => isChosen(project.name))
  const named = await nameResources(history, run, active, uids, isChosen)
  const amended: NewApproval[] = []
  for (const { project, resources } of named) {
    const base = active.find((approval) => projectKey(approval.project) === projectKey(project))
    if (base === undefined) {
      throw AuditError.usage(`${project.name} has no approved baseline that could be amended`, {
        advice: 'approve its whole state once, without --uid',
      })
    }
    // Refuses what the run did not scan completely.
    await approvalsOf(history, run, (name) => name === project.name, signed)
    amended.push(await amend(history, run.number, { base, project, resources, signed }))
  }
  return amended
}

interface NamedOfProject {
  readonly project: ProjectRef
  readonly resources: readonly Named[]
}

async function nameResources(
  history: OpenHistory,
  run: CommittedRun,
  active: readonly Approval[],
  uids: readonly string[],
  isChosen: (name: string) => boolean,
): Promise<readonly NamedOfProject[]> {
  const found = new Map<string, { project: ProjectRef; resources: Named[] }>()
  const add = (project: ProjectRef, { kind, uid }: Named) => {
    const ofProject = found.get(projectKey(project)) ?? { project, resources: [] }
    found.set(projectKey(project), ofProject)
    const isKnown = ofProject.resources.some((one) => resourceKey(one) === resourceKey({ kind, uid }))
    if (!isKnown) ofProject.resources.push({ kind, uid })
  }
  const approved = await Promise.all(
    active.map(async (approval) => ({ approval, resources: await history.approvedResources(approval) })),
  )
  for (const uid of new Set(uids)) {
    const inRun = (await history.find(uid, run.number)).filter(({ project }) => isChosen(project.name))
    const inState = approved.flatMap(({ approval: { project }, resources }) =>
      resources.flatMap((one) => (one.uid === uid ? [{ project, kind: one.kind }] : [])),
    )
    for (const { project, kind } of [...inRun, ...inState]) add(project, { kind, uid })
    if (inRun.length + inState.length > 0) continue
    throw AuditError.usage(
      `neither run ${run.number} nor the approved baseline has a resource ${JSON.stringify(uid)}`,
      {
        advice: '`hookdrift baseline diff` lists what differs, with uids',
      },
    )
  }
  return [...found.values()]
}

interface Amending extends NamedOfProject {
  readonly base: Approval
  readonly signed: SignedApproval
}

async function amend(
  history: OpenHistory,
  run: number,
  { base, project, resources, signed }: Amending,
): Promise<NewApproval> {
  const keys = new Set(resources.map(resourceKey))
  const isOther = (one: Named) => !keys.has(resourceKey(one))
  const { isAmended } = amendedIn(base)
  const versions = await history.versionsAt(
    project,
    resources.map(({ kind, uid }) => ({ kind, uid, run })),
  )
  const fresh = resources.flatMap(({ kind, uid }, at): ApprovedResource[] => {
    const version = versions[at]
    if (version === undefined) return []
    const { name, attributes, sealKeyId } = version
    return [{ kind, uid, name, attributes, sealKeyId }]
  })
  // Of a run's state only what is amended is stored with the approval.
  const stored = (await history.approvedResources(base)).filter((one) => base.run === undefined || isAmended(one))
  const kept = [...stored.filter(isOther), ...fresh]
  return {
    project,
    scopes: base.scopes,
    ...signed,
    state: base.run === undefined ? { resources: kept } : { run: base.run, resources: kept },
    amendments: [
      ...(base.amendments ?? []).filter(isOther),
      ...resources.map(({ kind, uid }) => ({ kind, uid, run, at: signed.at })),
    ],
  }
}
