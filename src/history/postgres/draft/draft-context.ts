import type { ProjectRef } from '../../../model/resource.ts'
import type { PostgresDatabase } from '../connect.ts'
import type { DraftIds } from './draft-ids.ts'
import type { DraftWriter } from './draft-writer.ts'
import type { OpenProject, OpenProjects } from './open-projects.ts'

/** What the parts of a draft share. */
export interface DraftContext {
  readonly db: PostgresDatabase
  readonly run: number
  readonly ids: DraftIds
  readonly projects: OpenProjects
  readonly writer: DraftWriter
  open(project: ProjectRef): Promise<OpenProject>
}

/** SQL: a column of uids is among those of a parameter. The index holds their first characters. */
export function isAmong(column: string, parameter: string): string {
  return `left(${column}, 200) = ANY(ARRAY(SELECT left(u, 200) FROM unnest(${parameter}::text[]) u))
    AND ${column} = ANY(${parameter}::text[])`
}
