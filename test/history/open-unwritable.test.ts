import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, expect, it, onTestFinished } from 'vitest'
import { openOfSchema } from '../../src/history/sqlite/open-to-examine.ts'
import { openInMemory, openUnwritable } from '../../src/history/sqlite/open-unwritable.ts'
import { SqliteDatabase } from '../../src/history/sqlite/sqlite-database.ts'
import { openFleetFixture } from '../audit/fleet-fixture.ts'

function directory() {
  const path = mkdtempSync(join(tmpdir(), 'hookdrift-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

it('reads a history without a file next to it', async () => {
  await using fixture = await openFleetFixture()
  await fixture.audit()
  const copy = join(directory(), 'copy.db')
  copyFileSync(fixture.harness.file, copy)
  const db = openInMemory(copy)
  onTestFinished(() => void db?.close())
  expect(db?.prepare('SELECT number, state FROM run').all()).toEqual([{ number: 1, state: 'committed' }])
  expect(() => db?.exec('DELETE FROM run')).toThrow(/readonly/)
})

it('says which file cannot be written, and why, where a history can only be read', async () => {
  await using fixture = await openFleetFixture()
  await fixture.audit()
  const copy = join(directory(), 'copy.db')
  copyFileSync(fixture.harness.file, copy)
  const db = openInMemory(copy)
  assert(db, 'it was read')
  onTestFinished(() => void db.close())
  const database = new SqliteDatabase(db)
  await expect(database.run('DELETE FROM hookdrift.run')).rejects.toMatchObject({
    exitCode: 4,
    message: `cannot use the history ${copy}: this user may only read it`,
  })
})

it('does not show a history without its last changes', async () => {
  await using fixture = await openFleetFixture()
  await fixture.audit()
  const copy = join(directory(), 'copy.db')
  copyFileSync(fixture.harness.file, copy)
  writeFileSync(`${copy}-wal`, 'x')
  expect(() => openInMemory(copy)).toThrow(/its last changes are in .*copy\.db-wal$/)
})

it('does not show pages of two states of a history that changed while it was read', async () => {
  await using fixture = await openFleetFixture()
  await fixture.audit()
  const copy = join(directory(), 'copy.db')
  copyFileSync(fixture.harness.file, copy)
  const readWhileWritten = (file: string) => {
    const bytes = readFileSync(file)
    writeFileSync(file, bytes)
    return bytes
  }
  expect(openInMemory(copy, readWhileWritten)).toBeUndefined()
})

it('leaves a history in a directory that can be written to SQLite', () => {
  const file = join(directory(), 'some.db')
  expect(openUnwritable(file)).toBeUndefined()
  writeFileSync(file, 'x')
  expect(openUnwritable(file)).toBeUndefined()
})

it('does not call a file damaged that this user may not read', () => {
  const file = join(directory(), 'some.db')
  writeFileSync(file, 'x')
  const refuse = () => {
    throw Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES' })
  }
  expect(() => openOfSchema(file, () => {}, refuse)).toThrow(
    expect.objectContaining({
      message: `cannot open the history ${file}: permission denied`,
      advice: 'check the path and its permissions, or name another history',
    }),
  )
})
