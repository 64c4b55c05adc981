import type { Draft } from '../../src/history/history.ts'
import { noHistory, type ProjectHistory } from '../../src/history/staged.ts'
import type { ProjectRef } from '../../src/model/resource.ts'

/** What earlier runs left of one project. */
export async function historyOf(
  draft: Pick<Draft, 'historiesOf'>,
  project: ProjectRef,
  since?: string,
): Promise<ProjectHistory> {
  return (await draft.historiesOf([project], since)).get(project.name) ?? noHistory
}
