import type { Draft } from '../history/history.ts'
import type { Json } from '../model/json.ts'
import type { ProjectRef } from '../model/resource.ts'

/** A draft of one project, whose rows are written while its worker has the task. */
export interface ProjectDraft extends Draft {
  /** What it keeps until the run is committed. */
  exportProject(project: ProjectRef): Promise<Json>
}

/** Opens the draft of a task that this worker took. */
export type OpenDraft = (task: {
  readonly run: number
  readonly project: ProjectRef
  readonly projectId: number
  readonly token: number
}) => ProjectDraft

/** The draft of a run, to which other processes leave what their projects' drafts keep. */
export interface RunDraft extends Draft {
  /** Of the lease: as long as the lease has it, this process may write. */
  readonly token: number
  /** Takes over what `exportProject` of another process returned. */
  importProject(project: ProjectRef, value: Json): Promise<void>
  /** Ends the lease and leaves the run as it is, so that another process can go on with it. */
  release(): Promise<void>
}
