import type { Database } from 'better-sqlite3'
import type { MarkedPageRow, Marks, StagedMarks } from '../../marks.ts'
import type { DraftAccess, DraftPart } from './draft-access.ts'

type MarkMethod = 'marks' | 'markedPage' | 'stageMarks'

/** Marks of the last scan, and those of this one: remembered until the commit. */
export function draftMarks(db: Database, { idOf }: DraftAccess): DraftPart<MarkMethod> {
  const staged = new Map<number, StagedMarks>()
  const scan = db.prepare<[number], { seal: Buffer; outcome: Buffer | null }>(
    'SELECT seal, outcome FROM mark_scan WHERE project_id = ?',
  )
  const page = db.prepare<[number, string, number], MarkedPageRow>(
    'SELECT digest, body FROM mark_page WHERE project_id = ? AND listing = ? AND page = ?',
  )

  return {
    methods: {
      async marks(project): Promise<Marks | undefined> {
        const row = scan.get(idOf(project))
        return row === undefined ? undefined : { seal: row.seal, outcome: row.outcome ?? undefined }
      },
      markedPage: async (project, listing, number) => page.get(idOf(project), listing, number),
      async stageMarks(project, marks) {
        staged.set(idOf(project), marks)
      },
    },
    finish(scanned) {
      if (staged.size === 0 && scan.get(scanned[0] ?? 0) === undefined) {
        // Most histories without marks have none at all.
      }
      writeMarks(db, scanned, staged)
    },
    deleteRows() {},
    forget: (project) => void staged.delete(project),
  }
}
