import type { ProjectState } from '../baseline/state-file.ts'
import type { ApprovedBody, ApprovedResource, ScopeByKind } from '../history/approvals.ts'
import type { Draft } from '../history/history.ts'
import { AuditError } from '../model/errors.ts'
import type { Kind, ProjectRef } from '../model/resource.ts'
import type { AuditedProject } from './project-scan.ts'

/** A state of a project that a person approved, however it is kept: what drift rules compare with. */
export interface ExpectedState {
  readonly scopes: ScopeByKind
  /** Versions as old as this run are part of it; undefined when it is not the state of a run. */
  readonly run: number | undefined
  body(kind: Kind, uid: string): Promise<ApprovedBody | undefined>
  uids(kind: Kind): Promise<readonly string[]>
}

/** The approved state of a project, looked up as it is needed; undefined when none holds. */
export async function approvedState(draft: Draft, project: ProjectRef): Promise<ExpectedState | undefined> {
  const approval = await draft.approved(project)
  if (approval === undefined) return undefined
  return {
    scopes: approval.scopes,
    run: approval.run,
    body: (kind, uid) => draft.approvedBody(approval, kind, uid),
    uids: (kind) => draft.approvedUids(approval, kind),
  }
}

/** A state that lies at hand as a whole, such as that of a file. */
export function stateOf(scopes: ScopeByKind, resources: readonly ApprovedResource[]): ExpectedState {
  const byKey = new Map(resources.map((resource) => [`${resource.kind} ${resource.uid}`, resource]))
  return {
    scopes,
    run: undefined,
    body: async (kind, uid) => byKey.get(`${kind} ${uid}`),
    uids: async (kind) => resources.filter((resource) => resource.kind === kind).map(({ uid }) => uid),
  }
}

/**
 * The projects with the state that is expected of each; `states` undefined: nothing in particular.
 * @throws AuditError.usage when a project has no state: it would pass whatever it holds
 */
export function withExpected(
  projects: readonly AuditedProject[],
  states: readonly ProjectState[] | undefined,
): readonly AuditedProject[] {
  if (states === undefined) return projects
  return projects.map((audited) => {
    const { name, service, uid } = audited.ref
    const state = states.find(({ project }) => project.service === service && project.uid === uid)
    if (state !== undefined) return { ...audited, expected: stateOf(state.scopes, state.resources) }
    throw AuditError.usage(`--expect has no state of ${name} (${uid})`, {
      advice: 'export its approved state, or leave it out with --project',
    })
  })
}
