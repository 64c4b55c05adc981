import type { JsonObject } from '../model/json.ts'
import { type Kind, type ProjectRef, projectKey, type ResourceKey, resourceKey } from '../model/resource.ts'
import type { View } from './records.ts'

/** The approved states of projects. Approvals are never deleted. */
export interface Approvals {
  /**
   * Approves states of projects. Each replaces the project's active approval.
   * @throws AuditError.busy when a live run owns the lease
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
}

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

export interface Approval extends Omit<NewApproval, 'state'> {
  readonly id: number
  /** The run whose state it is; undefined when it came from files. */
  readonly run: number | undefined
  readonly revoked: Signature | undefined
}

/** A resource as approved. */
export interface ApprovedBody {
  readonly name: string
  readonly attributes: JsonObject
  /** Which installation key sealed it. */
  readonly sealKeyId: string
}

export interface ApprovedResource extends ApprovedBody {
  readonly kind: Kind
  readonly uid: string
}

/** Which kinds a state covers, and the listing that showed each. */
export type ScopeByKind = Readonly<Partial<Record<Kind, View>>>

/** The active approvals: the last one of each project, unless it was revoked. */
export function activeApprovals(approvals: readonly Approval[]): Approval[] {
  return [...approvalsByProject(approvals).values()].flatMap((ofProject) => approvalInForce(ofProject) ?? [])
}

/** Approvals by the key of their project, each oldest first. */
export function approvalsByProject(approvals: readonly Approval[]): ReadonlyMap<string, readonly Approval[]> {
  return Map.groupBy(approvals, ({ project }) => projectKey(project))
}

/**
 * The approval of a project that is in force: the last one, unless it was revoked. `ofProject`: all of the project,
 * oldest first. `at`: as of that time (ISO 8601, UTC); absent: as of the last word.
 */
export function approvalInForce(ofProject: readonly Approval[], at?: string): Approval | undefined {
  const isBy = (time: string) => at === undefined || time <= at
  const last = ofProject.findLast((approval) => isBy(approval.at))
  return last?.revoked !== undefined && isBy(last.revoked.at) ? undefined : last
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

type AmendedResource = Pick<Amendment, 'kind' | 'uid'>

interface AmendmentIndex {
  isAmended(resource: AmendedResource): boolean
  /** The run whose state of a resource is approved; undefined when it came from files. */
  runOf(resource: AmendedResource): number | undefined
}
