import type { ChangeTimes } from './change.ts'

/** Something that a person did, by their own account. It happened; it is the cause of nothing. */
export interface Note {
  readonly id: number
  /** When it happened: ISO 8601, UTC. */
  readonly at: string
  readonly text: string
  /** An address, or the digest of a commit. */
  readonly ref: string | null
  readonly by: string
  /** `service/project`; none: it is about all. */
  readonly projects: readonly string[]
}

/** Whether a note is about a project, and about what happened in a time. */
export function isNoteOf({ at, projects }: Note, project: string, { after, before }: ChangeTimes): boolean {
  if (projects.length > 0 && !projects.includes(project)) return false
  return after !== null && after <= at && at <= before
}
