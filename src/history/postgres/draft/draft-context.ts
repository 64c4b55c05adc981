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
