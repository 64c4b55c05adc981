import type { ProjectState } from '../baseline/state-file.ts'
import { AuditError } from '../model/errors.ts'
import { stateOf } from './expected-state.ts'
import type { AuditedProject } from './project-scan.ts'

/**
 * The projects with the state that is expected of each; `states` undefined: nothing in particular.
 * @throws AuditError.usage when a project has no state: it would pass with any content
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
