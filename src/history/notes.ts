import type { Note } from '../model/note.ts'
import type { Signature } from './approvals.ts'

/** What people did. Notes are never changed or deleted. */
export interface Notes {
  /** Records what happened, also while a run is being written: no run depends on it. */
  note(note: NewNote): Promise<RecordedNote>
}

export interface NewNote extends Pick<Note, 'text' | 'ref' | 'projects'> {
  /** When it happened: ISO 8601, UTC. */
  readonly happenedAt: string
  /** Who wrote it down, and when. */
  readonly signed: Signature
}

export interface RecordedNote extends Note {
  readonly notedAt: string
  readonly osUser: string | undefined
}
