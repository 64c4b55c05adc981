import Database from 'better-sqlite3'
import { AuditError } from '../../model/errors.ts'
import { outsideCauses } from '../is-history-fault.ts'

/**
 * What a person is told where a history could not be read or written. What is thrown for another reason, such as a bug,
 * comes back as it is.
 */
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
  if (!outsideCauses.test(code)) return error
  return AuditError.failure(`cannot use the history ${file}: ${message}`, {
    advice: 'check the free space and the permissions there; `hookdrift verify` examines the file',
    cause: error,
  })
}

/** What is told where the file is to blame; undefined where it is not. */
export function asDamage(error: unknown, file: string): AuditError | undefined {
  // Within a history, text that is parsed is what a run stored.
  if (error instanceof SyntaxError) return damaged(file, 'it holds a text that is not JSON', error)
  if (!(error instanceof Database.SqliteError) || !isDamage(error)) return undefined
  return damaged(file, error.message, error)
}

/** Of a table or column that is not there, and of JSON, SQLite tells in words alone. */
function isDamage({ code, message }: InstanceType<typeof Database.SqliteError>): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB)/.test(code) || /^(?:no such (?:table|column)|malformed JSON)/.test(message)
}

export function damaged(file: string, what: string, cause?: unknown): AuditError {
  return AuditError.failure(`the history ${file} is damaged: ${what}`, {
    advice: '`hookdrift verify` says where; restore the last backup that verifies: docs/keeping.md',
    cause,
  })
}

/** The same object, whose methods tell of a history that cannot be used as above. */
export function tellingDamage<Target extends object>(target: Target, file: string): Target {
  const wrap =
    (method: (...values: unknown[]) => unknown) =>
    async (...values: unknown[]) => {
      try {
        return await method.apply(target, values)
      } catch (error) {
        throw asHistoryError(error, file)
      }
    }
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? wrap(member.bind(target)) : member
    },
  })
}

/** Does some work on a history that is open. */
export function withDamageTold<Result>(file: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw asHistoryError(error, file)
  }
}
