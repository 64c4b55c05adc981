import {
  type Approval,
  type ApprovedBody,
  type ApprovedResource,
  amendedIn,
  approvalInForce,
  approvalsByResource,
  approvedRun,
  type ResourceIdentity,
  type ScopeByKind,
} from '../history/approvals.ts'
import type { ScanDraft } from '../history/history.ts'
import { listApprovalsOf, readApprovedBodies, readApprovedUids } from '../history/sql/approvals.ts'
import { decidedBy, type EndedBy } from '../model/ending.ts'
import { type Kind, type ProjectRef, resourceKey } from '../model/resource.ts'

/** A state of a project that a person approved, however it is kept: what drift rules compare with. */
export interface ExpectedState {
  readonly scopes: ScopeByKind
  /** The run whose state of a resource it has: older versions are part of it. undefined: it is not the state of a run. */
  runOf(resource: ResourceIdentity): number | undefined
  /** When the approval in force was made: ISO 8601, UTC; absent for states of files. */
  readonly approvedAt?: string
  /** The approval that brought it to its state of a resource; undefined for states of files. */
  approvalOf(resource: ResourceIdentity): Approval | undefined
  /** In the order requested; undefined for what is not part of it. */
  bodies(resources: readonly ResourceIdentity[]): Promise<readonly (ApprovedBody | undefined)[]>
  uids(kind: Kind): Promise<readonly string[]>
}

/** The approved state of a project, read as it is needed; undefined when none is active. */
export async function approvedState(
  draft: Pick<ScanDraft, 'past'>,
  project: ProjectRef,
): Promise<ExpectedState | undefined> {
  const approvals = await listApprovalsOf(draft.past, project)
  const approval = approvalInForce(approvals)
  if (approval === undefined) return undefined
  return {
    scopes: approval.scopes,
    runOf: amendedIn(approval).runOf,
    approvedAt: approval.at,
    approvalOf: approvalsByResource(approvals),
    bodies: (resources) => readApprovedBodies(draft.past, approval, resources),
    uids: (kind) => readApprovedUids(draft.past, approval, kind),
  }
}

/** As it is said of a violation of a resource, where the state has what was found. */
export function baselineOf({ approvalOf }: Pick<ExpectedState, 'approvalOf'>, resource: ResourceIdentity): EndedBy {
  const approval = approvalOf(resource)
  const { by = null, at = null, note = null } = approval ?? {}
  return decidedBy('baseline', { by, at, reason: note, run: approval && approvedRun(approval) })
}

/** A state that lies at hand as a whole, such as that of a file. */
export function stateOf(scopes: ScopeByKind, resources: readonly ApprovedResource[]): ExpectedState {
  const byKey = new Map(resources.map((resource) => [resourceKey(resource), resource]))
  return {
    scopes,
    runOf: () => undefined,
    approvalOf: () => undefined,
    bodies: async (identities) => identities.map((resource) => byKey.get(resourceKey(resource))),
    uids: async (kind) => resources.filter((resource) => resource.kind === kind).map(({ uid }) => uid),
  }
}
