import { z } from 'zod'
import type { ChangeTimes } from './change.ts'
import { listOf, project, time } from './schema.ts'

export const note = z
  .object({
    id: z.int().min(1),
    at: time.describe('When it happened.'),
    text: z.string(),
    ref: z.string().nullable().describe('An address, or the digest of a commit.'),
    by: z.string(),
    projects: listOf(project).describe('Which it is about; empty: all.'),
  })
  .describe('What a person did, by their own account. No note is a cause of anything.')
export type Note = z.infer<typeof note>

/** Whether a note is about a project, and about what happened in a time. */
export function isNoteOf({ at, projects }: Note, about: string, { after, before }: ChangeTimes): boolean {
  if (projects.length > 0 && !projects.includes(about)) return false
  return after !== null && after <= at && at <= before
}
