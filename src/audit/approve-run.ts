import { compareFields } from '../gateway/inventory/compare-fields.ts'
import { carryOver } from '../gateway/inventory/diff-attributes.ts'
import {
  type Approval,
  type ApprovedResource,
  activeApprovals,
  amendedIn,
  approvalInForce,
  approvalsByProject,
  approvalsByResource,
  type NewApproval,
  type ResourceIdentity,
  type ScopeByKind,
} from '../history/approvals.ts'
import { findIdentities } from '../history/find-identities.ts'
import type { OpenHistory } from '../history/history.ts'
import type { CompleteScans } from '../history/records.ts'
import { listApprovals, readApprovedResources } from '../history/sql/approvals.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readCompleteScans, readLatestScans } from '../history/sql/scans.ts'
import { readStateAt, readVersionsAt } from '../history/sql/state-at.ts'
import { parseStored } from '../history/stored-body.ts'
import { AuditError } from '../model/errors.ts'
import { isEqual } from '../model/json.ts'
import { meantBy } from '../model/meant-by.ts'
import { isPolicyProject, isProjectList, type ProjectRef, projectKey, resourceKey } from '../model/resource.ts'

export type SignedApproval = Pick<NewApproval, 'by' | 'at' | 'osUser' | 'note'>

/** An approval next to the state that was in force before. */
export interface ComparedApproval extends NewApproval {
  /** Earlier approvals that it supersedes: of the resources whose approved state it changes. Or that it confirms. */
  readonly former: readonly Approval[]
}

/**
 * The approvals of what a run left of some projects.
 * @throws AuditError.usage when it did not scan one of them, or not completely: what was not seen cannot be approved
 */
export async function approvalsOf(
  history: OpenHistory,
  run: CommittedRun,
  isChosen: (name: string) => boolean,
  signed: SignedApproval,
): Promise<ComparedApproval[]> {
  const scans = await readApprovable(history, run, isChosen)
  const approvals: NewApproval[] = []
  for (const { project } of scans) {
    const scopes = viewsOf(await readCompleteScans(history, project, run.number))
    approvals.push({ project, scopes, ...signed, state: { run: run.number } })
  }
  return compareApprovals(history, approvals)
}

/** Scans of a run that may be approved. */
async function readApprovable(history: OpenHistory, run: CommittedRun, isChosen: (name: string) => boolean) {
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
      .map(({ listing, status, reason }) => `\n    ${project.name} ${listing} ${status}: ${reason}`),
  )
  if (gaps.length > 0) {
    throw AuditError.usage(`run ${run.number} is incomplete and cannot be approved:${gaps.join('')}`, {
      advice: 'approve a complete run with --run, or other projects with --project',
    })
  }
  return scans
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
): Promise<ComparedApproval[]> {
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
    await readApprovable(history, run, (name) => name === project.name)
    amended.push(await amend(history, run.number, { base, project, resources, signed }))
  }
  return compareApprovals(history, amended)
}

/**
 * Approvals next to what was in force before: whose resources each changes the approved state of, and whose approvals it
 * supersedes. One that changes nothing becomes a confirmation.
 */
export async function compareApprovals(
  history: OpenHistory,
  approvals: readonly NewApproval[],
): Promise<ComparedApproval[]> {
  const byProject = approvalsByProject(await listApprovals(history))
  const compared: ComparedApproval[] = []
  for (const approval of approvals) {
    const ofProject = byProject.get(projectKey(approval.project)) ?? []
    const inForce = approvalInForce(ofProject)
    compared.push(
      inForce === undefined
        ? { ...approval, follows: null, former: [] }
        : await compareWith(history, approval, { inForce, approvalOf: approvalsByResource(ofProject) }),
    )
  }
  return compared
}

async function compareWith(
  history: OpenHistory,
  approval: NewApproval,
  { inForce, approvalOf }: { inForce: Approval; approvalOf: ReturnType<typeof approvalsByResource> },
): Promise<ComparedApproval> {
  const { project, state, scopes, amendments } = approval
  const before = new Map((await readApprovedResources(history, inForce)).map((one) => [resourceKey(one), one]))
  const resources =
    amendments === undefined && 'run' in state ? await readRunState(history, project, state.run) : state.resources
  const after = new Map((resources ?? []).map((one) => [resourceKey(one), one]))
  const named = amendments?.filter(({ at }) => at === approval.at) ?? [...new Map([...before, ...after]).values()]
  const changed = named.filter((one) => !isSameState(before.get(resourceKey(one)), after.get(resourceKey(one))))
  const approves = changed.map(({ kind, uid }) => ({ kind, uid }))
  const isConfirmation = approves.length === 0 && textOf(scopes) === textOf(inForce.scopes)
  const formers = new Set((isConfirmation ? named : approves).map((one) => approvalOf(one) ?? inForce))
  const former = formers.size === 0 ? [inForce] : [...formers].sort((a, b) => a.id - b.id)
  const compared = { ...approval, approves, follows: inForce.id, former }
  if (!isConfirmation) return compared
  // What it would have approved is kept with the approval in force.
  return { ...compared, confirms: inForce.id, state: 'run' in state ? { run: state.run } : { resources: [] } }
}

function textOf(scopes: ScopeByKind): string {
  return JSON.stringify(
    Object.entries(scopes)
      .map(([kind, { listing, filter }]) => [kind, listing, filter])
      .sort(),
  )
}

async function readRunState(history: OpenHistory, project: ProjectRef, run: number): Promise<ApprovedResource[]> {
  return (await readStateAt(history, project, run)).map(({ kind, uid, name, body, sealKeyId }) => {
    return { kind, uid, name, attributes: parseStored(body), sealKeyId }
  })
}

/** Whether two approved states of a resource say the same, as far as can be said: seals of two keys, or of two forms, cannot be compared. */
function isSameState(before: ApprovedResource | undefined, after: ApprovedResource | undefined): boolean {
  if (before === undefined || after === undefined) return before === after
  const { kind } = after
  const [old, now] = [before.attributes, after.attributes]
  const fieldwise = compareFields(kind, before, after)
  if (fieldwise.asSeen.length > 0 || fieldwise.resealed.length > 0) return false
  // A field that only one of them shows is compared with from now on, or no longer.
  return isEqual(carryOver(kind, old, now), now) && isEqual(carryOver(kind, now, old), old)
}

function viewsOf(lastComplete: CompleteScans): ScopeByKind {
  return Object.fromEntries(
    Object.entries(lastComplete).map(([kind, { listing, filter }]) => [kind, { listing, filter }]),
  )
}

interface NamedOfProject {
  readonly project: ProjectRef
  readonly resources: readonly ResourceIdentity[]
}

async function nameResources(
  history: OpenHistory,
  run: CommittedRun,
  active: readonly Approval[],
  uids: readonly string[],
  isChosen: (name: string) => boolean,
): Promise<readonly NamedOfProject[]> {
  const byProject = new Map<string, { project: ProjectRef; resources: ResourceIdentity[] }>()
  const add = (project: ProjectRef, { kind, uid }: ResourceIdentity) => {
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
  const isOther = (one: ResourceIdentity) => !keys.has(resourceKey(one))
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
