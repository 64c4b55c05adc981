import Database from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import { damagedHistory, heldTwiceAdvice } from '../stored-body.ts'

/** Faults from outside: full, locked, damaged, read-only. All others (most constraints, a syntax error) are bugs. */
const outsideCauses = /^SQLITE_(BUSY|FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|PERM|LOCKED|PROTOCOL|NOMEM)/

/** The error to report where a history could not be read or written. Returns other errors, such as bugs, unchanged. */
export function asHistoryError(error: unknown, file: string): unknown {
  const damage = asDamage(error, file)
  if (damage !== undefined) return damage
  if (!(error instanceof Database.SqliteError)) return error
  const { code, message } = error
  if (code.startsWith('SQLITE_BUSY')) {
    return AuditError.busy(`another process keeps the history ${file} locked`, {
      advice: 'wait for it to end, then run again',
      cause: error,
    })
  }
  if (code === 'SQLITE_READONLY') {
    return AuditError.failure(`cannot write to the history ${file}: this user may only read it`, {
      advice: 'let this user write to the file and its directory, or name a history elsewhere',
      cause: error,
    })
  }
  if (/^SQLITE_CONSTRAINT_(?:PRIMARYKEY|UNIQUE)$/.test(code)) return heldTwice(file, error)
  if (!outsideCauses.test(code)) return error
  return AuditError.failure(`cannot use the history ${file}: ${message}`, {
    advice: 'check the free space and the permissions there; `hookdrift verify` examines the file',
    cause: error,
  })
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
