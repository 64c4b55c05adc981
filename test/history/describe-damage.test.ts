import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { asHistoryError } from '../../src/history/sqlite/describe-damage.ts'
import { AuditError } from '../../src/model/errors.ts'

const said = (code: string) => asHistoryError(new Database.SqliteError('disk I/O error', code), '/data/h.db')

/** Every code that the driver knows. */
const codes = (() => {
  const driver = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'))
  const source = readFileSync(join(driver, 'src/util/constants.cpp'), 'utf8')
  return [...new Set(source.match(/SQLITE_[A-Z]+(?:_[A-Z]+)*/g))]
})()

/** Families of codes that are no fault from outside: a statement is wrong, or nothing is. */
const bugs =
  /^SQLITE_(?:OK|ROW|DONE|NOTICE|WARNING|ERROR|ABORT|AUTH|CONSTRAINT|EMPTY|FORMAT|INTERNAL|INTERRUPT|MISMATCH|MISUSE|NOTFOUND|RANGE|SCHEMA|TOOBIG)/

it('has a sentence and an advice for every code of SQLite that is a fault from outside', () => {
  const outside = codes.filter((code) => !bugs.test(code))
  expect(outside.length).toBeGreaterThan(55)
  const unsaid = outside.filter((code) => {
    const error = said(code)
    if (!(error instanceof AuditError) || (error.advice ?? '').length < 10) return true
    // The sentence of the family is for its later codes.
    return code !== 'SQLITE_IOERR' && error.message.endsWith('the disk reports an error')
  })
  expect(unsaid).toEqual([])
  const isHeldTwice = (code: string) => /_(?:PRIMARYKEY|UNIQUE)$/.test(code)
  for (const code of codes.filter((code) => bugs.test(code) && !isHeldTwice(code))) {
    expect([code, said(code)]).toEqual([code, expect.any(Database.SqliteError)])
  }
})

it.each([
  ['IOERR_SHMMAP', 4, 'this file system gives SQLite no shared memory', /PostgreSQL/],
  ['IOERR_LOCK', 4, 'this file system does not keep locks', /a named volume/],
  ['PROTOCOL', 4, 'this file system does not keep locks', /disk of this machine/],
  ['IOERR_FSYNC', 4, 'the disk does not confirm what was written', /log of the system/],
  ['IOERR_WRITE', 4, 'the disk refuses what is written', /quota/],
  ['READONLY_DBMOVED', 4, 'it was moved or replaced while it was in use', /synchronises/],
  ['CANTOPEN_NOTEMPDIR', 4, 'there is no directory for temporary files', /SQLITE_TMPDIR/],
  ['IOERR_OF_A_LATER_RELEASE', 4, 'the disk reports an error', /hookdrift verify/],
  ['BUSY_RECOVERY', 5, 'another process keeps the history /data/h.db locked', /wait/],
])('says of %s what happened and what to do', (code, exitCode, message, advice) => {
  expect(said(`SQLITE_${code}`)).toMatchObject({
    exitCode,
    message: expect.stringContaining(message),
    advice: expect.stringMatching(advice),
  })
})
