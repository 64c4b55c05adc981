import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'

/** Offset of the two bytes in the header that say write-ahead log: https://www.sqlite.org/fileformat.html */
const journalOffset = 18
/** Node reads files of up to 2 GiB at once. */
const mostBytes = 2 ** 31 - 1

/**
 * Opens a history in a directory that this process may read and not write, such as a read-only mount, for reading.
 * SQLite needs to write next to a file with a write-ahead log even to read it, so the file is read into memory.
 * Returns undefined where the directory can be written, or there is no such file.
 * @throws AuditError.failure when it cannot be read in this way
 */
export function openUnwritable(file: string): Database.Database | undefined {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined || !stats.isFile() || stats.size === 0 || isWritable(dirname(file))) return undefined
  const db = openInMemory(file)
  if (db === undefined) throw unreadable(file, 'another process writes to it')
  return db
}

/** The history in a file, in memory and read-only. undefined where it changed while it was read: it would be a mixture. */
export function openInMemory(
  file: string,
  read: (file: string) => Buffer = (path) => readFileSync(path),
): Database.Database | undefined {
  const before = stateOf(file)
  const { size } = statSync(file)
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })
  if (log !== undefined && log.size > 0) throw unreadable(file, `its last changes are in ${file}-wal`)
  if (size > mostBytes) throw unreadable(file, 'it is larger than 2 GiB')
  const bytes = read(file)
  if (stateOf(file) !== before) return undefined
  // 1: a rollback journal, which a database in memory has.
  bytes.subarray(journalOffset, journalOffset + 2).fill(1)
  const db = new Database(bytes, { readonly: true })
  filesInMemory.set(db, file)
  return db
}

const filesInMemory = new WeakMap<Database.Database, string>()

/** The file of a history, for messages: SQLite calls one that was read into memory `:memory:`. */
export function fileOf(db: Database.Database): string {
  return filesInMemory.get(db) ?? db.name
}

/** Differs after every write to the file or to its log. */
function stateOf(file: string): string {
  const stats = [file, `${file}-wal`].map((name) => statSync(name, { bigint: true, throwIfNoEntry: false }))
  return stats.map((each) => each && `${each.ino} ${each.size} ${each.mtimeNs}`).join()
}

function unreadable(file: string, why: string): AuditError {
  return AuditError.failure(`cannot read the history ${file} in a directory that is not writable: ${why}`, {
    advice: 'copy the file, with its -wal file, to a directory that is writable, and name the copy with --history',
  })
}

/** Whether this process may write to a file or into a directory. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
