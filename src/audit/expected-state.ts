import type { ProjectState } from '../baseline/state-file.ts'
import type { ApprovedBody, ApprovedResource, Looks } from '../history/approvals.ts'
import type { Draft } from '../history/history.ts'
import { AuditError } from '../model/errors.ts'
import type { Kind, ProjectRef } from '../model/resource.ts'
import type { AuditedProject } from './look.ts'

/** A state of a project that a person approved, however it is kept: what drift rules compare with. */
export interface ExpectedState {
  readonly looks: Looks
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
    looks: approval.looks,
    run: approval.run,
    body: (kind, uid) => draft.approvedBody(approval, kind, uid),
    uids: (kind) => draft.approvedUids(approval, kind),
  }
}

/** A state that lies at hand as a whole, such as that of a file. */
export function stateOf(looks: Looks, resources: readonly ApprovedResource[]): ExpectedState {
  const byKey = new Map(resources.map((resource) => [`${resource.kind} ${resource.uid}`, resource]))
  return {
    looks,
    run: undefined,
    body: async (kind, uid) => byKey.get(`${kind} ${uid}`),
    uids: async (kind) => resources.filter((resource) => resource.kind === kind).map(({ uid }) => uid),
  }
}

/**
 * The projects with the state that is expected of each; `states` undefined: nothing in particular.
 * @throws AuditError 2 when a project has no state: it would pass whatever it holds
 */
export function withExpected(
  projects: readonly AuditedProject[],
  states: readonly ProjectState[] | undefined,
): readonly AuditedProject[] {
  if (states === undefined) return projects
  return projects.map((audited) => {
    const { name, service, uid } = audited.ref
    const state = states.find(({ project }) => project.service === service && project.uid === uid)
    if (state !== undefined) return { ...audited, expected: stateOf(state.looks, state.resources) }
    throw new AuditError(2, `--expect has no state of ${name} (${uid})`, {
      advice: 'export its approved state, or leave it out with --project',
    })
  })
}
