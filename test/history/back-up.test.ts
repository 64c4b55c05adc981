import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { openSecrets } from '../../src/gateway/inventory/open-secrets.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { backUp } from '../../src/history/sqlite/back-up.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { temporaryDatabasePaths } from './database-fixture.ts'
import { Machines } from './processes.ts'
import { aStart, at, aVersion, commit, payments, walkAll } from './samples.ts'

const nextPath = temporaryDatabasePaths()
let file: string
let target: string
beforeEach(async () => {
  file = nextPath()
  target = join(dirname(file), 'copy.db')
  const history = openSqliteHistory(file, new Machines().process(1))
  const draft = await history.begin(aStart())
  await walkAll(draft)
  await draft.stage(payments, [aVersion('a')])
  await commit(draft)
  await history.close()
})

const copy = (replace = false) => backUp(file, target, { replace, depth: 'plain', exitCodeOf: () => 0, openSecrets })

describe('a backup', () => {
  it('is possible while a run writes, and contains the committed runs', async () => {
    const machines = new Machines()
    const history = openSqliteHistory(file, machines.process(2))
    const draft = await history.begin(aStart(at(2)))
    await draft.stage(payments, [aVersion('b')])
    await copy()
    await walkAll(draft)
    await commit(draft)
    await history.close()
    await machines.pass(60)
    const restored = openSqliteHistory(target, machines.process(3))
    expect(await readRunRecord(restored, 2)).toBeUndefined()
    const next = await restored.begin(aStart(at(3)))
    expect(next.interrupted).toEqual([2])
    await next.abandon(at(4))
    await restored.close()
  })

  it('ends while another process writes all the time', async () => {
    const db = new Database(file)
    db.exec(`CREATE TABLE my_notes (n INTEGER, text TEXT);
      WITH RECURSIVE counted(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM counted WHERE n < 1000)
      INSERT INTO my_notes SELECT n, hex(zeroblob(8000)) FROM counted`)
    const writing = setInterval(() => db.exec('UPDATE my_notes SET n = n + 1 WHERE rowid = 1'), 0)
    expect((await copy()).verification.ok).toBe(true)
    clearInterval(writing)
    db.close()
  })

  it('replaces only regular files, and never the history itself', async () => {
    target = file
    await expect(copy(true)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('the history itself'),
    })
    target = dirname(file)
    await expect(copy(true)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('which is not a file'),
    })
  })

  it.each(['hookdrift.key', 'history.db-wal', 'history.db-shm'])(
    'replaces no file of the history: %s',
    async (name) => {
      target = join(dirname(file), name)
      for (const text of [undefined, 'there']) {
        if (text !== undefined) writeFileSync(target, text)
        const refused = {
          exitCode: 2,
          message: `the backup cannot replace ${target}, which belongs to the history ${file}`,
        }
        await expect(copy(true)).rejects.toMatchObject(refused)
        expect(existsSync(target)).toBe(text !== undefined)
      }
      rmSync(target)
    },
  )

  it('says that a link which leads nowhere has its name, and replaces it when asked to', async () => {
    symlinkSync('nowhere.db', target)
    await expect(copy()).rejects.toMatchObject({ exitCode: 2, message: `the file ${target} exists already` })
    await copy(true)
    expect(readdirSync(dirname(target))).not.toContain('nowhere.db')
  })

  it('is not written next to changes of a former file, which SQLite would make to it', async () => {
    await copy()
    const opened = openSqliteHistory(target, new Machines().process(2))
    const draft = await opened.begin(aStart(at(3)))
    const [former, log] = [readFileSync(target), readFileSync(`${target}-wal`)]
    await draft.abandon(at(4))
    await opened.close()
    // As a killed process leaves them.
    writeFileSync(target, former)
    writeFileSync(`${target}-wal`, log)
    const refusal = { exitCode: 2, message: `cannot write ${target}: ${target}-wal has changes to a file of that name` }
    await expect(copy(true)).rejects.toMatchObject(refusal)
    rmSync(target)
    await expect(copy()).rejects.toMatchObject(refusal)
    writeFileSync(`${target}-wal`, '')
    expect((await copy()).verification.run?.number).toBe(1)
  })

  describe('a killed backup', () => {
    const drafts = () => readdirSync(dirname(file)).filter((name) => name.includes('hookdrift-'))
    const module = new URL('../../src/history/sqlite/draft-directory.ts', import.meta.url).href

    /** A process that is making a copy, and gets no further. */
    async function aCopier(name: string) {
      const script = `import { openDraftDirectory } from ${JSON.stringify(module)}
        import { writeFileSync } from 'node:fs'
        globalThis.opened = openDraftDirectory(${JSON.stringify(join(dirname(file), name))})
        writeFileSync(globalThis.opened.draft, 'a whole history')
        console.log('at work')
        setInterval(() => {}, 1000)`
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
      expect(String(said)).toBe('at work\n')
      const kill = async () => {
        if (child.signalCode !== null) return
        child.kill('SIGKILL')
        await once(child, 'close')
      }
      return { kill, [Symbol.asyncDispose]: kill }
    }

    it('leaves no file that the next one does not remove, with any file name', async () => {
      const copiers = await Promise.all(['copy.db', 'copy-of-monday.db', 'history.db.before-0004'].map(aCopier))
      for (const copier of copiers) await copier.kill()
      expect(drafts()).toHaveLength(3)
      await copy()
      expect(drafts()).toEqual([])
    })

    it('is not what another process takes one for that has just begun', async () => {
      const script = `import { openDraftDirectory } from ${JSON.stringify(module)}
        for (let round = 0; round < 60; round++) openDraftDirectory(${JSON.stringify(join(dirname(file), 'copy.db'))}).close()`
      const ends = Array.from({ length: 4 }, () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
        return once(child, 'close')
      })
      expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0, 0, 0])
      expect(drafts()).toEqual([])
    })

    it('differs from a running one, which is left alone', async () => {
      await using copier = await aCopier('copy.db')
      const [draft = ''] = drafts()
      await copy()
      expect(drafts()).toEqual([draft])
      expect(readFileSync(join(dirname(file), draft, 'copy.db'), 'utf8')).toBe('a whole history')
      await copier.kill()
      await copy(true)
      expect(drafts()).toEqual([])
    })

    it('leaves files of other programs alone', async () => {
      const names = [
        'copy.db.hookdrift-abc123',
        'copy.db.abcdef',
        'copy.db.Zyxwv9',
        'copy.db.short',
        'x.hookdrift-abc1234',
      ]
      for (const name of names) mkdirSync(join(dirname(file), name))
      writeFileSync(join(dirname(file), 'copy.db.hookdrift-abc123', 'letter.txt'), 'mine')
      writeFileSync(join(dirname(file), 'copy.db.abcdef', 'copy.db'), 'of another program')
      await copy()
      expect(readdirSync(dirname(file))).toEqual(expect.arrayContaining(names))
    })
  })

  it('reports with advice that it cannot write', async () => {
    target = join(dirname(file), 'nowhere', 'copy.db')
    await expect(copy()).rejects.toMatchObject({
      exitCode: 4,
      message: expect.stringContaining('no such file or directory'),
    })
  })
})
