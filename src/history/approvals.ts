import type { JsonObject } from '../model/json.ts'
import { projectKey } from '../model/keys.ts'
import type { Kind, ProjectRef } from '../model/resource.ts'
import type { View } from './records.ts'

/** The states of projects that people approved, as part of a history. Nothing of it is ever deleted. */
export interface Approvals {
  /** Every approval there ever was, oldest first. */
  approvals(): Promise<readonly Approval[]>
  /** The state that was approved, by kind and uid. */
  approvedResources(approval: Approval): Promise<readonly ApprovedResource[]>
  /**
   * Approves a state of each of some projects; from then on the one before it holds no more.
   * @throws AuditError.busy when a live run holds the lease
   */
  approve(approvals: readonly NewApproval[]): Promise<void>
  /**
   * Takes approvals back. They stay on record.
   * @throws AuditError.busy when a live run holds the lease
   */
  revoke(approvals: readonly number[], by: Signature): Promise<void>
}

/** Who, and when: ISO 8601, UTC. */
export interface Signature {
  readonly by: string
  readonly at: string
}

/** A state of a project that a person approved: as a run left it, or as files said. */
export interface NewApproval extends Signature {
  readonly project: ProjectRef
  readonly scopes: ScopeByKind
  readonly note: string
  readonly state: { readonly run: number } | { readonly resources: readonly ApprovedResource[] }
}

export interface Approval extends Omit<NewApproval, 'state'> {
  readonly id: number
  /** The run that left the state; undefined when it came from files. */
  readonly run: number | undefined
  readonly revoked: Signature | undefined
}

/** What was approved of a resource. */
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

/** Which kinds a state speaks of, and the listing that showed each. */
export type ScopeByKind = Readonly<Partial<Record<Kind, View>>>

/** The approvals that hold: of each project the one in force. */
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
