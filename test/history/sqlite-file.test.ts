import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { openDatabase } from '../../src/history/sqlite/open-database.ts'
import { SqliteDatabase } from '../../src/history/sqlite/sqlite-database.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { AuditError } from '../../src/model/errors.ts'
import { faultsOf, migrationsWith, temporaryDatabasePath } from './database-fixture.ts'
import { knownIn } from './known-in.ts'
import { Machines } from './processes.ts'
import { aStart, at, aVersion, aViolation, commit, latestRun, payments, walkAll } from './samples.ts'

const now = at(0)

let file: string
let remove: () => void
beforeEach(() => {
  const path = temporaryDatabasePath()
  file = path.file
  remove = path.remove
})
afterEach(async () => {
  expect(isHistory(file) ? await faultsOf(file) : []).toEqual([])
  remove()
})

/** Whether a file has a step of our schema at least. */
function isHistory(path: string) {
  const header = existsSync(path) ? readFileSync(path).subarray(0, 100) : Buffer.alloc(0)
  return header.subarray(68, 72).toString('latin1') === 'hkdf' && header.readUInt32BE(60) > 0
}

/** What opening throws; it must be an AuditError. */
async function refusalOf(work: Promise<unknown>) {
  const error = await work.catch((error) => error)
  if (error instanceof AuditError) return error
  throw new Error('it was not refused', { cause: error })
}

function refusal(open: () => unknown) {
  try {
    open()
  } catch (error) {
    if (error instanceof AuditError) return error
    throw error
  }
  throw new Error('it was opened')
}

const next = '0002'

function schemaOf(db: Database.Database) {
  return [
    db.pragma('user_version', { simple: true }),
    ...db.prepare('SELECT sql FROM sqlite_schema ORDER BY name').all(),
  ]
}

describe('the file of a history', () => {
  it('belongs to its owner only, with the files next to it', async () => {
    const history = openSqliteHistory(file, new Machines().process(1))
    await walkAll(await history.begin(aStart()))
    const modes = ['', '-wal', '-shm'].map((suffix) => statSync(`${file}${suffix}`).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600, 0o600])
    await history.close()
  })

  it('is created with its parent directories', () => {
    const deep = join(dirname(file), 'not/there/yet/history.db')
    openDatabase(deep, now).close()
    expect(existsSync(deep)).toBe(true)
  })

  it('has 16 KiB pages, write-ahead logging, strict tables and our mark', () => {
    const db = openDatabase(file, now)
    const pragma = (name: string) => db.pragma(name, { simple: true })
    expect(pragma('page_size')).toBe(16384)
    expect(pragma('journal_mode')).toBe('wal')
    expect(pragma('foreign_keys')).toBe(1)
    expect(pragma('auto_vacuum')).toBe(2)
    expect(pragma('application_id')).toBe(Buffer.from('hkdf').readUInt32BE())
    const lax =
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'"
    expect(db.prepare(lax).all()).toEqual([])
    db.close()
  })

  it('may be opened by several at once', () => {
    const [first, second] = [openDatabase(file, now), openDatabase(file, now)]
    expect(schemaOf(second)).toEqual(schemaOf(first))
    first.close()
    second.close()
  })
})

describe('a file that is not a history', () => {
  it('is refused and left unchanged when it is another program’s database', () => {
    const db = new Database(file)
    db.exec('CREATE TABLE song (title TEXT)')
    db.close()
    const before = readFileSync(file)
    const error = refusal(() => openDatabase(file, now))
    expect(error.exitCode).toBe(4)
    expect(error.message).toBe(`cannot open the history ${file}: it is a database of another program`)
    expect(error.advice).toContain('name the file of a history')
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(readdirSync(dirname(file))).toEqual(['history.db'])
  })

  it('is refused where its directory cannot be made', () => {
    // Node's recursive mkdir never comes back from here.
    expect(() => openDatabase('/proc/nowhere/a/hookdrift.db', now)).toThrow(/cannot open the history/)
  })

  it('is refused when it is another program’s empty database', () => {
    const db = new Database(file)
    db.pragma('application_id = 77')
    db.close()
    expect(refusal(() => openDatabase(file, now)).message).toContain('a database of another program')
  })

  it.each([
    ['text', Buffer.from('services:\n  - name: acme\n'.repeat(100))],
    ['a damaged header', Buffer.concat([Buffer.from('SQLite format 4\0'), Buffer.alloc(5000, 7)])],
  ])('is refused when it is %s', (_, content) => {
    writeFileSync(file, content)
    const error = refusal(() => openDatabase(file, now))
    expect(error).toMatchObject({ exitCode: 4, message: `${file} is not a hookdrift history` })
    expect(error.advice).toContain('name the file of a history')
    expect(readFileSync(file).equals(content)).toBe(true)
  })

  it('is refused when it is a directory', () => {
    const error = refusal(() => openDatabase(dirname(file), now))
    expect(error).toMatchObject({ exitCode: 4, message: expect.stringContaining('directory') })
  })

  it('is refused when a file is where its directory should be', () => {
    writeFileSync(file, '')
    expect(refusal(() => openDatabase(join(file, 'history.db'), now))).toMatchObject({ exitCode: 4 })
  })

  // root may write anywhere
  it.skipIf(process.getuid?.() === 0)('is refused when it is not writable', () => {
    openDatabase(file, now).close()
    chmodSync(file, 0o400)
    expect(refusal(() => openDatabase(file, now))).toMatchObject({
      exitCode: 4,
      message: expect.stringContaining('EACCES'),
    })
    chmodSync(file, 0o600)
  })
})

describe('migrations', () => {
  it('run once when several processes open a new file at the same time', async () => {
    const module = join(import.meta.dirname, '../../src/history/sqlite/open-database.ts')
    const script = `import { openDatabase } from ${JSON.stringify(module)}
      openDatabase(${JSON.stringify(file)}, ${JSON.stringify(now)}).close()`
    const open = promisify(execFile)
    await Promise.all([1, 2, 3, 4].map(() => open(process.execPath, ['--input-type=module', '--eval', script])))
    const db = new Database(file, { readonly: true })
    expect(db.prepare('SELECT count(*) FROM migration').pluck().get()).toBe(Number(next) - 1)
    db.close()
  })

  it('are numbered without a gap, and none is skipped silently', () => {
    const gap = migrationsWith(dirname(file), '0099_later.sql', 'SELECT 1;')
    expect(() => openDatabase(file, now, { directory: gap })).toThrow(
      `migration 0099_later.sql is not number ${Number(next)}`,
    )
  })
})

describe('a killed process', () => {
  function kill(when: 'migration' | 'draft' | 'commit') {
    const script = fileURLToPath(new URL('./killed-process.ts', import.meta.url))
    const { signal, stderr } = spawnSync(process.execPath, [script, file, when], { encoding: 'utf8' })
    expect({ signal, stderr }).toEqual({ signal: 'SIGKILL', stderr: '' })
  }

  async function begun() {
    const machines = new Machines()
    const history = openSqliteHistory(file, machines.process(1))
    const first = await history.begin(aStart())
    await walkAll(first)
    await first.stage(payments, [aVersion('a')])
    await first.stageViolations(payments, { confirmed: [], violations: [aViolation('a')] })
    const record = await commit(first)
    await history.close()
    return { machines, record }
  }

  it('during a migration leaves a history that the next one completes', async () => {
    kill('migration')
    const history = openSqliteHistory(file, new Machines().process(1))
    expect(await latestRun(history)).toBeUndefined()
    expect((await history.begin(aStart())).run).toBe(1)
    await history.close()
    const db = new Database(file, { readonly: true })
    expect(db.pragma('page_size', { simple: true })).toBe(16384)
    db.close()
  })

  it.each(['draft', 'commit'] as const)('before the end of its %s leaves the history as it was', async (when) => {
    const { machines, record } = await begun()
    kill(when)
    // The killed process's lease is of this machine, and its process is gone.
    const history = openSqliteHistory(file, machines.process(2))
    expect(await latestRun(history)).toBe(1)
    expect(await readRunRecord(history, 1)).toEqual(record)
    const draft = await history.begin(aStart(at(4)))
    expect([draft.run, draft.interrupted]).toEqual([3, [2]])
    expect([...(await knownIn(draft, payments, 'endpoint', ['a', 'b', 'c'])).keys()]).toEqual(['a'])
    expect((await draft.unconfirmedViolations(payments)).map(({ uid }) => uid)).toEqual(['a'])
    await walkAll(draft)
    expect((await commit(draft)).violations).toMatchObject([{ uid: 'a', state: 'continuing' }])
    await history.close()
  })
})

describe('an unwritable history', () => {
  it('reports a full disk, and keeps its content', async () => {
    const db = openDatabase(file, now)
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`)
    const row = [1, 'x'.repeat(100_000), 'p']
    const filling = new SqliteDatabase(db).transaction((transaction) =>
      transaction.insert('project', ['id', 'service', 'uid'], [row]),
    )
    const error = await refusalOf(filling)
    expect(error.exitCode).toBe(4)
    expect(error.message).toBe(`cannot use the history ${file}: no space is left`)
    expect(error.advice).toContain('free space')
    expect(db.prepare('SELECT * FROM project').all()).toEqual([])
    db.close()
  })

  it('makes those transactions durable that are to be, where several are asked for at once', async () => {
    const db = openDatabase(file, now)
    const database = new SqliteDatabase(db)
    const level = () => db.pragma('synchronous', { simple: true })
    const asked = [true, false, true].map((isDurable) => database.transaction(async () => level(), { isDurable }))
    // 2 is FULL, 1 is NORMAL.
    expect(await Promise.all(asked)).toEqual([2, 1, 2])
    expect(level()).toBe(1)
    db.close()
  })

  it('reports a lock of another process', async () => {
    const [db, other] = [openDatabase(file, now), openDatabase(file, now)]
    db.pragma('busy_timeout = 0')
    other.exec('BEGIN IMMEDIATE')
    const error = await refusalOf(new SqliteDatabase(db).transaction(async () => 0))
    expect(error).toMatchObject({ exitCode: 5, message: `another process keeps the history ${file} locked` })
    other.close()
    db.close()
  })

  it('passes on an internal error', async () => {
    const db = openDatabase(file, now)
    const unnamed = new SqliteDatabase(db).transaction((transaction) =>
      transaction.insert('project', ['id', 'service', 'uid'], [[1, 'a', null]]),
    )
    await expect(unnamed).rejects.toThrow(Database.SqliteError)
    db.close()
  })

  it('misses a heartbeat instead of failing', async () => {
    const machines = new Machines()
    const history = openSqliteHistory(file, machines.process(1))
    await history.begin(aStart())
    await history.close()
    await expect(machines.pass(5)).resolves.toBeUndefined()
  })
})
