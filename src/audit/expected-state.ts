import {
  type ApprovedBody,
  type ApprovedResource,
  amendedIn,
  type ScopeByKind,
  type Signature,
} from '../history/approvals.ts'
import type { ScanDraft } from '../history/history.ts'
import { findLastApproval, readApprovedBodies, readApprovedUids } from '../history/sql/approvals.ts'
import { decidedBy, type EndedBy } from '../model/ending.ts'
import { type Kind, type ProjectRef, resourceKey } from '../model/resource.ts'

type ResourceIdentity = Pick<ApprovedResource, 'kind' | 'uid'>

/** A state of a project that a person approved, however it is kept: what drift rules compare with. */
export interface ExpectedState {
  readonly scopes: ScopeByKind
  /** The run whose state of a resource it has: older versions are part of it. undefined: it is not the state of a run. */
  runOf(resource: ResourceIdentity): number | undefined
  /** Who approved it, when, and what was noted; absent for states of files. */
  readonly approval?: Signature & { readonly note: string }
  /** In the order requested; undefined for what is not part of it. */
  bodies(resources: readonly ResourceIdentity[]): Promise<readonly (ApprovedBody | undefined)[]>
  uids(kind: Kind): Promise<readonly string[]>
}

/** The approved state of a project, read as it is needed; undefined when none is active. */
export async function approvedState(
  draft: Pick<ScanDraft, 'past'>,
  project: ProjectRef,
): Promise<ExpectedState | undefined> {
  const approval = await findLastApproval(draft.past, project)
  if (approval === undefined || approval.revoked !== undefined) return undefined
  return {
    scopes: approval.scopes,
    runOf: amendedIn(approval).runOf,
    approval,
    bodies: (resources) => readApprovedBodies(draft.past, approval, resources),
    uids: (kind) => readApprovedUids(draft.past, approval, kind),
  }
}

/** As it is said of a violation of a resource, where the state has what was found. */
export function baselineOf(
  { approval, runOf }: Pick<ExpectedState, 'approval' | 'runOf'>,
  resource: ResourceIdentity,
): EndedBy {
  const { by = null, at = null, note = null } = approval ?? {}
  return decidedBy('baseline', { by, at, reason: note, run: runOf(resource) })
}

/** A state that lies at hand as a whole, such as that of a file. */
export function stateOf(scopes: ScopeByKind, resources: readonly ApprovedResource[]): ExpectedState {
  const byKey = new Map(resources.map((resource) => [resourceKey(resource), resource]))
  return {
    scopes,
    runOf: () => undefined,
    bodies: async (identities) => identities.map((resource) => byKey.get(resourceKey(resource))),
    uids: async (kind) => resources.filter((resource) => resource.kind === kind).map(({ uid }) => uid),
  }
}
