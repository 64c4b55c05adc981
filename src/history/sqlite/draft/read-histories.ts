import type { ProjectRef } from '../../../model/resource.ts'
import type { ProjectHistory } from '../../history.ts'
import { assembleHistories } from '../../project-histories.ts'
import { toActiveViolation } from '../../stored-violation.ts'
import type { DraftAccess } from './draft-access.ts'

/** What earlier runs left of some projects. `since`: from when changes are wanted; undefined: none are. */
export function readHistories(
  { run, sql, idOf }: DraftAccess,
  asked: readonly ProjectRef[],
  since: string | undefined,
): ReadonlyMap<string, ProjectHistory> {
  const ids = asked.map(idOf)
  const projects = JSON.stringify(ids)
  return assembleHistories(asked, ids, {
    shapes: sql.lastShapes.all(projects, run),
    modifications:
      since === undefined
        ? []
        : sql.modifiedSince.all({ projects, since, run }).map(({ project, paths, ...row }) => {
            return { project, row: { ...row, paths: JSON.parse(paths) } }
          }),
    withOrigin: sql.violationsWithOrigin
      .all({ projects, run })
      .map(({ project, originRun, isActive, firstSeen, ...row }) => {
        const violation = toActiveViolation({ ...row, originRun })
        return { project, row: { ...violation, originRun, firstSeen, isActive: isActive === 1 } }
      }),
    underOtherRules: sql.underOtherRules.all({ projects, run }),
  })
}
