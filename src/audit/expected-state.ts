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
import type { HistoryReader } from '../history/reader.ts'
import { readApproved, readApprovedBodies } from '../history/sql/approvals.ts'
import { decidedBy, type EndedBy } from '../model/ending.ts'
import { type Kind, resourceKey } from '../model/resource.ts'
import type { KnownVersions } from './known-versions.ts'

/** A state of a project that a person approved, however it is kept: what drift rules compare with. */
export interface ExpectedState {
  readonly scopes: ScopeByKind
  /** The run whose state of a resource it has: older versions are part of it. undefined: it is not the state of a run. */
  runOf(resource: ResourceIdentity): number | undefined
  /** When the approval in force was made: ISO 8601, UTC; absent for states of files. */
  readonly approvedAt?: string
  /** The approval that brought it to its state of a resource; undefined for states of files. */
  approvalOf(resource: ResourceIdentity): Approval | undefined
  /** undefined for what is not part of it. */
  bodyOf(resource: ResourceIdentity): ApprovedBody | undefined
  uids(kind: Kind): readonly string[]
}

/**
 * The approved state of a project; undefined when none is active. `approvals`: of the project, oldest first. `versions`:
 * those that are part of the state are not read again.
 */
export async function approvedState(
  history: HistoryReader,
  approvals: readonly Approval[],
  versions: Pick<KnownVersions, 'find' | 'before'>,
): Promise<ExpectedState | undefined> {
  const approval = approvalInForce(approvals)
  if (approval === undefined) return undefined
  const { runOf } = amendedIn(approval)
  const isCurrent = (resource: ResourceIdentity) =>
    (versions.find(resource.kind, resource.uid)?.fromRun ?? Number.POSITIVE_INFINITY) <= (runOf(resource) ?? 0)
  const all = await readApproved(history, approval)
  const others = all.filter((resource) => !isCurrent(resource))
  const bodies = await readApprovedBodies(history, approval, others)
  const bodyOf = new Map(others.map((resource, at) => [resourceKey(resource), bodies[at]]))
  const byKind = Map.groupBy(all, ({ kind }) => kind)
  return {
    scopes: approval.scopes,
    runOf,
    approvedAt: approval.at,
    approvalOf: approvalsByResource(approvals),
    bodyOf: (resource) =>
      bodyOf.get(resourceKey(resource)) ?? (isCurrent(resource) ? versions.before(resource) : undefined),
    uids: (kind) => byKind.get(kind)?.map(({ uid }) => uid) ?? [],
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
    bodyOf: (resource) => byKey.get(resourceKey(resource)),
    uids: (kind) => resources.filter((resource) => resource.kind === kind).map(({ uid }) => uid),
  }
}
