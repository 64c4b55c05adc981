import { type Check, sentences } from './check.ts'

/** Checks of SQLite itself. */
export const fileChecks: readonly Check[] = [
  {
    id: 'integrity_check',
    invariant: 'the file is whole: its pages, rows and indexes agree',
    means: 'the file is damaged, by the disk, by a copy made while it was written, or by another program',
    *find(db) {
      for (const answer of db.prepare<[], string>('PRAGMA integrity_check').pluck().iterate()) {
        if (answer !== 'ok') yield answer
      }
    },
  },
  {
    id: 'foreign_key_check',
    invariant: 'every row that another row refers to is there',
    means: 'rows were deleted or altered by another program',
    find: (db) =>
      sentences<{ table: string; rowid: number | null; parent: string }>(
        db,
        'PRAGMA foreign_key_check',
        ({ table, rowid, parent }) =>
          `${table}${rowid === null ? '' : ` ${rowid}`} refers to a ${parent} that is not there`,
      ),
  },
]
