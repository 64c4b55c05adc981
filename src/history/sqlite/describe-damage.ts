import Database from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import { damagedHistory, heldTwiceAdvice } from '../stored-body.ts'

export const keepLocal =
  'keep it on a disk of this machine (in a container: in a named volume), or in PostgreSQL: `hookdrift docs keep-the-history`'
const readable = 'let this user write to the file and its directory, or name a history elsewhere'
const reach = 'check the path, the permissions of its directories, and what a security module forbids'
const disk =
  'read the log of the system for errors of the disk, then run `hookdrift verify`: `hookdrift docs keep-the-history`'
const alone = 'end the program that moves, replaces or synchronises the file, then run `hookdrift verify`'

/** The faults from outside: what a code of SQLite says of the history, and what to do. Any other code is a bug. */
const faults: readonly (readonly [codes: readonly string[], says: string, advice: string])[] = [
  [['FULL'], 'no space is left', 'free space, or remove old runs: `hookdrift prune --keep-within 90d`'],
  [['IOERR_SHMSIZE'], 'its shared memory cannot grow', 'free space where the history lies, and raise the quota'],
  [['IOERR_SHMMAP', 'IOERR_SHMOPEN', 'IOERR_SHMLOCK'], 'this file system gives SQLite no shared memory', keepLocal],
  [
    ['IOERR_LOCK', 'IOERR_UNLOCK', 'IOERR_RDLOCK', 'IOERR_CHECKRESERVEDLOCK', 'IOERR_BLOCKED', 'PROTOCOL'],
    'this file system does not keep locks',
    keepLocal,
  ],
  [['NOLFS'], 'this file system takes no file of that size', keepLocal],
  [
    ['IOERR_FSYNC', 'IOERR_DIR_FSYNC', 'IOERR_CLOSE', 'IOERR_DIR_CLOSE'],
    'the disk does not confirm what was written',
    disk,
  ],
  [['IOERR_BEGIN_ATOMIC', 'IOERR_COMMIT_ATOMIC', 'IOERR_ROLLBACK_ATOMIC'], 'the disk cannot write as a whole', disk],
  [
    ['IOERR_WRITE', 'IOERR_TRUNCATE'],
    'the disk refuses what is written',
    `check the quota of this user, or ${keepLocal}`,
  ],
  [['IOERR_READ', 'IOERR_SEEK', 'IOERR_MMAP', 'IOERR_IN_PAGE'], 'the disk cannot read it', disk],
  [['IOERR_SHORT_READ'], 'it ends too early', disk],
  [['IOERR_DATA', 'IOERR_CORRUPTFS'], 'the disk or its file system is damaged', disk],
  [['IOERR'], 'the disk reports an error', disk],
  [['IOERR_DELETE_NOENT', 'IOERR_VNODE', 'READONLY_DBMOVED'], 'it was moved or replaced while it was in use', alone],
  [['IOERR_ACCESS', 'IOERR_FSTAT', 'IOERR_DELETE', 'IOERR_AUTH'], 'the system refuses access to it', reach],
  [['IOERR_CONVPATH', 'CANTOPEN_CONVPATH', 'CANTOPEN_FULLPATH'], 'its path cannot be resolved', 'name a shorter path'],
  [
    ['IOERR_GETTEMPPATH', 'CANTOPEN_NOTEMPDIR'],
    'there is no directory for temporary files',
    'name one in SQLITE_TMPDIR that this user may write to',
  ],
  [['NOMEM', 'IOERR_NOMEM'], 'there is not enough memory', 'give this process more memory'],
  [
    ['READONLY', 'READONLY_DIRECTORY', 'READONLY_CANTINIT', 'READONLY_CANTLOCK', 'PERM'],
    'this user may only read it',
    readable,
  ],
  [
    ['READONLY_RECOVERY', 'READONLY_ROLLBACK'],
    'its last changes lie next to it, and this user may not write them into it',
    readable,
  ],
  [['CANTOPEN_ISDIR'], 'it is a directory', 'name a file in it'],
  [['CANTOPEN_SYMLINK'], 'it is a symbolic link', 'name the file that it leads to'],
  [['CANTOPEN', 'CANTOPEN_DIRTYWAL'], 'it, or a file that SQLite keeps next to it, cannot be opened', reach],
]

/** A code that is newer than this table means what its family does. */
function faultOf(code: string): (typeof faults)[number] | undefined {
  const own = code.slice('SQLITE_'.length)
  const family = own.split('_')[0] ?? own
  return [own, family].map((name) => faults.find(([codes]) => codes.includes(name))).find((row) => row !== undefined)
}

/** The error to report where a history could not be read or written. Returns other errors, such as bugs, unchanged. */
export function asHistoryError(error: unknown, file: string): unknown {
  const damage = asDamage(error, file)
  if (damage !== undefined) return damage
  if (!(error instanceof Database.SqliteError)) return error
  const { code } = error
  if (/^SQLITE_(?:BUSY|LOCKED)/.test(code)) {
    return AuditError.busy(`another process keeps the history ${file} locked`, {
      advice: 'wait for it to end, then run again',
      cause: error,
    })
  }
  if (/^SQLITE_CONSTRAINT_(?:PRIMARYKEY|UNIQUE)$/.test(code)) return heldTwice(file, error)
  const [, says, advice] = faultOf(code) ?? []
  if (says === undefined) return error
  return AuditError.failure(`cannot use the history ${file}: ${says}`, { advice, cause: error })
}

/** The error to report where the file is damaged; undefined where it is not. */
export function asDamage(error: unknown, file: string): AuditError | undefined {
  // Within a history, hookdrift parses only JSON that a run stored.
  if (error instanceof SyntaxError)
    return damagedHistory('it contains a text that is not JSON', { name: file, cause: error })
  if (!(error instanceof Database.SqliteError) || !isDamage(error)) return undefined
  if (error.code === 'SQLITE_NOTADB') return notHistory(file, error)
  return damagedHistory(error.message, { name: file, cause: error })
}

/** For a missing table or column, and for malformed JSON, SQLite has no code of its own. */
function isDamage({ code, message }: InstanceType<typeof Database.SqliteError>): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB)/.test(code) || /^(?:no such (?:table|column)|malformed JSON)/.test(message)
}

/** The file does not begin as a database does. */
function notHistory(file: string, cause: unknown): AuditError {
  return AuditError.failure(`${file} is not a hookdrift history`, {
    advice:
      'name the file of a history; if this was one, restore the last backup that verifies: `hookdrift docs keep-the-history`',
    cause,
  })
}

/** A row to write has the number of one that is there: what the next number is read from may be damaged. */
function heldTwice(file: string, cause: Error): AuditError {
  return AuditError.failure(`cannot write to the history ${file}: ${cause.message}`, { advice: heldTwiceAdvice, cause })
}

/** Runs `work`, and throws errors of the history as `asHistoryError` describes them. */
export function withDamageDescribed<Result>(file: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw asHistoryError(error, file)
  }
}
