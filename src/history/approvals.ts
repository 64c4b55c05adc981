import type { JsonObject } from '../model/json.ts'
import {
  type FieldDoubts,
  type Kind,
  type ProjectRef,
  projectKey,
  type ResourceKey,
  resourceKey,
} from '../model/resource.ts'
import type { View } from './records.ts'

/** The approved states of projects. Approvals are never deleted. */
export interface Approvals {
  /**
   * Approves states of projects. Each replaces the project's active approval, unless it confirms that.
   * @throws AuditError.busy when a live run owns the lease
   * @throws AuditError.usage when another approval came into force since one was compared
   */
  approve(approvals: readonly NewApproval[]): Promise<void>
  /**
   * Revokes approvals. They stay on record.
   * @throws AuditError.busy when a live run owns the lease
   */
  revoke(approvals: readonly number[], by: Signature): Promise<void>
}

/** Who, and when: ISO 8601, UTC. */
export interface Signature {
  readonly by: string
  readonly at: string
  /** Which user of the operating system wrote it; absent where it was not recorded. */
  readonly osUser?: string | undefined
}

/** A state of a project that a person approved: as of a run, or from files. */
export interface NewApproval extends Signature {
  readonly project: ProjectRef
  readonly scopes: ScopeByKind
  readonly note: string
  /** `resources` together with a run: the amended ones that the state has. */
  readonly state:
    | { readonly run: number; readonly resources?: readonly ApprovedResource[] }
    | { readonly resources: readonly ApprovedResource[] }
  /** Resources whose state is that of another run; absent: none. */
  readonly amendments?: readonly Amendment[] | undefined
  /** The resources whose approved state it changes, also as gone; absent: all, as nothing was in force. */
  readonly approves?: readonly ResourceIdentity[] | undefined
  /** The approval whose state it confirms, as it changes nothing: it is on record only, and that one stays in force. */
  readonly confirms?: number | undefined
  /** The approval in force that it was compared with; null: none was; absent: it was not compared. */
  readonly follows?: number | null
}

export type ResourceIdentity = Pick<ApprovedResource, 'kind' | 'uid'>

/**
 * A resource that was approved by itself: it supersedes what the rest of the state says of it. One that the resources of
 * the state do not have is approved as gone.
 */
export interface Amendment {
  readonly kind: Kind
  readonly uid: string
  /** The run whose state of it was approved, and when it was approved (ISO 8601, UTC). */
  readonly run: number
  readonly at: string
}

export interface Approval extends Omit<NewApproval, 'state' | 'follows'> {
  readonly id: number
  /** The run whose state it is; undefined when it came from files. */
  readonly run: number | undefined
  readonly revoked: Signature | undefined
}

/** A resource as approved. */
export interface ApprovedBody {
  readonly name: string
  readonly attributes: JsonObject
  /** Which of that was in doubt; absent where nothing was, or it is not recorded. */
  readonly doubts?: FieldDoubts
  /** Which installation key sealed it. */
  readonly sealKeyId: string
}

export interface ApprovedResource extends ApprovedBody {
  readonly kind: Kind
  readonly uid: string
}

/** Which kinds a state covers, and the listing that showed each. */
export type ScopeByKind = Readonly<Partial<Record<Kind, View>>>

/** The active approvals: the one in force of each project. */
export function activeApprovals(approvals: readonly Approval[]): Approval[] {
  return [...approvalsByProject(approvals).values()].flatMap((ofProject) => approvalInForce(ofProject) ?? [])
}

/** Approvals by the key of their project, each oldest first. */
export function approvalsByProject(approvals: readonly Approval[]): ReadonlyMap<string, readonly Approval[]> {
  return Map.groupBy(approvals, ({ project }) => projectKey(project))
}

/**
 * The approval of a project that is in force: the last one that does not confirm another, unless it was revoked. `ofProject`:
 * all of the project, oldest first. `at`: as of that time (ISO 8601, UTC); absent: as of the last word.
 */
export function approvalInForce(ofProject: readonly Approval[], at?: string): Approval | undefined {
  const isBy = (time: string) => at === undefined || time <= at
  const last = ofProject.findLast((approval) => approval.confirms === undefined && isBy(approval.at))
  return last?.revoked !== undefined && isBy(last.revoked.at) ? undefined : last
}

/**
 * Who approved what of a project: for each resource, the last approval that changed its approved state. Later ones of
 * other resources do not speak for it. `ofProject`: all of the project, oldest first.
 */
export function approvalsByResource(
  ofProject: readonly Approval[],
): (resource: ResourceIdentity) => Approval | undefined {
  const inForce = approvalInForce(ofProject)
  let whole = inForce
  const approvals = new Map<ResourceKey, Approval>()
  for (const approval of inForce === undefined ? [] : ofProject) {
    const { at, amendments, confirms } = approval
    if (confirms !== undefined) continue
    // Without `approves`, an amendment is of what was amended with it.
    const approved = approval.approves ?? amendments?.filter((one) => one.at === at)
    if (approved === undefined) {
      whole = approval
      approvals.clear()
    }
    for (const resource of approved ?? []) approvals.set(resourceKey(resource), approval)
  }
  return (resource) => approvals.get(resourceKey(resource)) ?? whole
}

/** The run whose state an approval put into the baseline; undefined when that came from files. */
export function approvedRun({ run, at, amendments }: Pick<Approval, 'run' | 'at' | 'amendments'>): number | undefined {
  return amendments?.find((one) => one.at === at)?.run ?? run
}

/** What people had signed by a time, in milliseconds since the epoch: what ended it later had not happened yet. */
export function signedBy<
  Signed extends Signature & { readonly revoked: Signature | undefined; readonly ended?: SignatureEnd },
>(all: readonly Signed[], time: number): readonly Signed[] {
  const isBy = ({ at }: Pick<Signature, 'at'>) => Date.parse(at) <= time
  return all
    .filter(isBy)
    .map((one) => (one.revoked === undefined || isBy(one.revoked) ? one : { ...one, revoked: undefined }))
    .map((one) => (one.ended === undefined || isBy(one.ended) ? one : { ...one, ended: undefined }))
}

/** Which resources of an approved state were approved by themselves. */
export function amendedIn({ run, amendments = [] }: Pick<Approval, 'run' | 'amendments'>): AmendmentIndex {
  const runs: ReadonlyMap<ResourceKey, number> = new Map(amendments.map((one) => [resourceKey(one), one.run]))
  return {
    isAmended: (resource) => runs.size > 0 && runs.has(resourceKey(resource)),
    runOf: (resource) => (runs.size === 0 ? run : (runs.get(resourceKey(resource)) ?? run)),
  }
}

type SignatureEnd = { readonly at: string } | undefined

interface AmendmentIndex {
  isAmended(resource: ResourceIdentity): boolean
  /** The run whose state of a resource is approved; undefined when it came from files. */
  runOf(resource: ResourceIdentity): number | undefined
}
