import {
  type Approval,
  type ApprovedResource,
  activeApprovals,
  amendedIn,
  type NewApproval,
  type ScopeByKind,
} from '../history/approvals.ts'
import { findIdentities } from '../history/find-identities.ts'
import type { OpenHistory } from '../history/history.ts'
import type { CompleteScans } from '../history/records.ts'
import { listApprovals, readApprovedResources } from '../history/sql/approvals.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readCompleteScans, readLatestScans } from '../history/sql/scans.ts'
import { readVersionsAt } from '../history/sql/state-at.ts'
import { AuditError } from '../model/errors.ts'
import { meantBy } from '../model/meant-by.ts'
import {
  isPolicyProject,
  isProjectList,
  type Kind,
  type ProjectRef,
  projectKey,
  resourceKey,
} from '../model/resource.ts'

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
  const scanned = (await readLatestScans(history, run.number)).filter(
    (scan) => scan.run.number === run.number && !isPolicyProject(scan.project) && !isProjectList(scan.project),
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
    const scopes = viewsOf(await readCompleteScans(history, project, run.number))
    approvals.push({ project, scopes, ...signed, state: { run: run.number } })
  }
  return approvals
}

interface NamedResource {
  readonly kind: Kind
  readonly uid: string
}

/**
 * Approvals of single resources as a run left them: present or gone. Each is named by a uid, a name or a beginning of one.
 * The rest of each project's state stays as it was approved before.
 * @throws AuditError.usage for one that neither the run nor the approved state has, where no state is approved, and as
 * `approvalsOf`
 */
export async function amendedApprovalsOf(
  history: OpenHistory,
  run: CommittedRun,
  { uids, isChosen }: { readonly uids: readonly string[]; readonly isChosen: (name: string) => boolean },
  signed: SignedApproval,
): Promise<NewApproval[]> {
  const active = activeApprovals(await listApprovals(history)).filter(({ project }) => isChosen(project.name))
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

function viewsOf(lastComplete: CompleteScans): ScopeByKind {
  return Object.fromEntries(
    Object.entries(lastComplete).map(([kind, { listing, filter }]) => [kind, { listing, filter }]),
  )
}

interface NamedOfProject {
  readonly project: ProjectRef
  readonly resources: readonly NamedResource[]
}

async function nameResources(
  history: OpenHistory,
  run: CommittedRun,
  active: readonly Approval[],
  uids: readonly string[],
  isChosen: (name: string) => boolean,
): Promise<readonly NamedOfProject[]> {
  const byProject = new Map<string, { project: ProjectRef; resources: NamedResource[] }>()
  const add = (project: ProjectRef, { kind, uid }: NamedResource) => {
    const ofProject = byProject.get(projectKey(project)) ?? { project, resources: [] }
    byProject.set(projectKey(project), ofProject)
    const isKnown = ofProject.resources.some((one) => resourceKey(one) === resourceKey({ kind, uid }))
    if (!isKnown) ofProject.resources.push({ kind, uid })
  }
  const approved = await Promise.all(
    active.map(async (approval) => {
      const resources = await readApprovedResources(history, approval)
      return resources.map(({ kind, uid, name }) => ({ project: approval.project, kind, uid, name }))
    }),
  )
  const choice = { run: run.number, isChosen: (one: { readonly project: ProjectRef }) => isChosen(one.project.name) }
  for (const named of new Set(uids)) {
    const inRun = await findIdentities(history, named, choice)
    const uid = inRun[0]?.uid
    const inState =
      uid === undefined ? meantBy(approved.flat(), named) : approved.flat().filter((one) => one.uid === uid)
    const all = [...inRun, ...inState]
    for (const { project, kind, uid } of all) add(project, { kind, uid })
    const meant = new Set(all.map(({ uid }) => uid))
    if (meant.size === 1) continue
    if (meant.size > 1) {
      throw AuditError.usage(`${JSON.stringify(named)} means several resources: ${[...meant].join(', ')}`)
    }
    throw AuditError.usage(
      `neither run ${run.number} nor the approved baseline has a resource ${JSON.stringify(named)}`,
      {
        advice: '`hookdrift baseline diff` lists what differs, with uids',
      },
    )
  }
  return [...byProject.values()]
}

interface AmendedState extends NamedOfProject {
  readonly base: Approval
  readonly signed: SignedApproval
}

async function amend(
  history: OpenHistory,
  run: number,
  { base, project, resources, signed }: AmendedState,
): Promise<NewApproval> {
  const keys = new Set(resources.map(resourceKey))
  const isOther = (one: NamedResource) => !keys.has(resourceKey(one))
  const { isAmended } = amendedIn(base)
  const versions = await readVersionsAt(
    history,
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
  const stored = (await readApprovedResources(history, base)).filter((one) => base.run === undefined || isAmended(one))
  const rows = [...stored.filter(isOther), ...fresh]
  return {
    project,
    scopes: base.scopes,
    ...signed,
    state: base.run === undefined ? { resources: rows } : { run: base.run, resources: rows },
    amendments: [
      ...(base.amendments ?? []).filter(isOther),
      ...resources.map(({ kind, uid }) => ({ kind, uid, run, at: signed.at })),
    ],
  }
}
