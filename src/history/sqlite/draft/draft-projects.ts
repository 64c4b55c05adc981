import { type ProjectRef, projectKey } from '../../../model/resource.ts'
import type { DraftStatements } from './draft-statements.ts'

export interface DraftProjects {
  /** The id of a project's row. One that is missing gets the next id, and its row with the rows that are staged. */
  idOf(project: ProjectRef): number
  hadVersions(project: number): boolean
  hadViolations(project: number): boolean
  /** Within a transaction. */
  insert(): void
  /** Once the transaction is known to be written. */
  clear(): void
}

/** The projects of a run. No other process adds one while the run owns the lease. */
export function draftProjects(run: number, sql: DraftStatements): DraftProjects {
  const ids = new Map<string, number>()
  /** Rows that wait to be inserted, by their id. */
  let waiting = new Map<number, ProjectRef>()
  let last: number | undefined

  const remembering = (find: (project: number) => boolean) => {
    const known = new Map<number, boolean>()
    return (project: number) => {
      const found = known.get(project) ?? find(project)
      known.set(project, found)
      return found
    }
  }

  function makeId(project: ProjectRef): number {
    last = (last ?? sql.lastProject.get() ?? 0) + 1
    waiting.set(last, project)
    return last
  }

  return {
    idOf(project) {
      const key = projectKey(project)
      const id = ids.get(key) ?? sql.findProject.get(project.service, project.uid) ?? makeId(project)
      ids.set(key, id)
      return id
    },
    hadVersions: remembering((project) => !waiting.has(project) && sql.hadVersions.get(project, run) === 1),
    hadViolations: remembering((project) => !waiting.has(project) && sql.hadViolations.get(project, run) === 1),
    insert() {
      for (const [id, { service, uid }] of waiting) sql.insertProject.run(id, service, uid)
    },
    clear() {
      waiting = new Map()
    },
  }
}
