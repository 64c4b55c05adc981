import { AuditError } from '../../model/errors.ts'
import type { Note } from '../../model/note.ts'
import { describeMove, moveAdvice } from '../lease-owner.ts'
import type { NewNote, Notes, RecordedNote } from '../notes.ts'
import type { HistoryReader } from '../reader.ts'
import type { RecordedChange } from '../records.ts'
import { damagedHistory } from '../stored-body.ts'
import type { HistoryBackend } from './backend.ts'
import { moveIn } from './runs.ts'
import type { Session, Transaction } from './session.ts'

/** Every note, in the order in which they were recorded. */
export function listNotes(history: HistoryReader): Promise<readonly RecordedNote[]> {
  return history.ask((session) => notesWhere(session, 'true', []))
}

/** Notes about a time, both ends included (ISO 8601, UTC), the latest first. */
export function readNotesBetween(history: HistoryReader, from: string, to: string): Promise<readonly Note[]> {
  return history.ask((session) => notesBetween(session, from, to))
}

/** The id of the last note; 0 without any. As long as it is the same, so are all notes. */
export async function lastNote(history: HistoryReader): Promise<number> {
  return (await history.ask((session) => session.value<number>(lastSql))) ?? 0
}

/** The same as of a run's report, for changes of which that is asked later. */
export function readNotesOf(history: HistoryReader, changes: readonly RecordedChange[]): Promise<readonly Note[]> {
  return history.ask((session) => notesOfChanges(session, changes))
}

/** Notes about the times in which some changes came about. Which of them a change names depends on its own time. */
export async function notesOfChanges(session: Session, changes: readonly RecordedChange[]): Promise<readonly Note[]> {
  const times = changes.flatMap(({ between: { after, before } }) => (after === null ? [] : [{ after, before }]))
  const [first, ...others] = times
  if (first === undefined) return []
  const from = others.reduce((least, { after }) => (after < least ? after : least), first.after)
  const to = others.reduce((most, { before }) => (before > most ? before : most), first.before)
  return notesBetween(session, from, to)
}

export function sqlNotes({ db, commitSurely, lease }: HistoryBackend): Notes {
  return {
    async note(note) {
      return commitSurely<RecordedNote>({
        async work(transaction) {
          await lease.lock(transaction)
          // Of a moved history, no run would link it, and moving back would lose it.
          const move = await moveIn(transaction)
          if (move !== undefined) throw AuditError.busy(describeMove(db.displayName, move), { advice: moveAdvice })
          return writeNote(transaction, note)
        },
        subject: () => 'the note',
        advice: 'list the notes once the server is up, before you repeat the command',
        async isRecorded(transaction, { id, text, notedAt, by }) {
          await lease.lock(transaction)
          const [row] = await notesWhere(transaction, 'id = $1', [id])
          return row?.text === text && row.notedAt === notedAt && row.by === by
        },
      })
    },
  }
}

const lastSql = 'SELECT coalesce(max(id), 0) FROM hookdrift.recorded_note'

/** Returns the note as readers get it. */
async function writeNote(transaction: Transaction, note: NewNote): Promise<RecordedNote> {
  const { happenedAt, text, ref, projects, signed } = note
  const id = ((await transaction.value<number>(lastSql)) ?? 0) + 1
  await transaction.insert(
    'recorded_note',
    ['id', 'at', 'text', 'ref', 'projects', 'noted_at', 'noted_by', 'noted_as'],
    [[id, happenedAt, text, ref, JSON.stringify(projects), signed.at, signed.by, signed.osUser ?? null]],
  )
  const [written] = await notesWhere(transaction, 'id = $1', [id])
  if (written === undefined) throw damagedHistory('it does not have the note that was written')
  return written
}

type NoteRow = Omit<RecordedNote, 'projects' | 'osUser'> & {
  readonly projects: string
  readonly osUser: string | null
}

async function notesBetween(session: Session, from: string, to: string): Promise<Note[]> {
  const rows = await notesWhere(session, 'at >= $1 AND at <= $2', [from, to], 'at DESC, id DESC')
  return rows.map(({ notedAt: _, osUser: __, ...note }) => note)
}

async function notesWhere(
  session: Session,
  where: string,
  values: readonly (string | number)[],
  order = 'id',
): Promise<RecordedNote[]> {
  const rows = await session.all<NoteRow>(
    `SELECT id, at, text, ref, noted_by AS "by", projects, noted_at AS "notedAt", noted_as AS "osUser"
     FROM hookdrift.recorded_note WHERE ${where} ORDER BY ${order}`,
    values,
  )
  // Hookdrift wrote the list.
  return rows.map(({ osUser, projects, ...row }) => {
    return { ...row, projects: JSON.parse(projects) as string[], osUser: osUser ?? undefined }
  })
}
