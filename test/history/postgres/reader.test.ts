import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, type PostgresDatabase } from '../../../src/history/postgres/connect.ts'
import { postgresReader } from '../../../src/history/postgres/postgres-reader.ts'
import { readNames } from '../../../src/history/postgres/read-names.ts'
import type { HistoryReader } from '../../../src/history/reader.ts'
import { readNames as readNamesOfFile } from '../../../src/history/sqlite/read-names.ts'
import { openSqliteHistory } from '../../../src/history/sqlite/sqlite-history.ts'
import { AuditError } from '../../../src/model/errors.ts'
import { kinds, type ProjectRef } from '../../../src/model/resource.ts'
import { tries } from '../../thoroughness.ts'
import { answersOf } from '../answers-of.ts'
import { aRun, perform, projects, uids } from '../arbitrary-runs.ts'
import { temporaryDatabasePath } from '../database-fixture.ts'
import { Machines } from '../processes.ts'
import { aStart, at, commit, orders, payments } from '../samples.ts'
import { copyRows } from './copy-rows.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from './databases.ts'
import { makeEventfulHistory, projectsOfEvents, uidsOfEvents } from './eventful-history.ts'

const golden = join(import.meta.dirname, '../../fixtures/histories/0016.db.gz')

describe.skipIf(!hasPostgres)('the reader of PostgreSQL', () => {
  let place: TestDatabase
  let db: PostgresDatabase
  let file: string
  let remove: () => void
  beforeEach(async () => {
    const path = temporaryDatabasePath()
    file = path.file
    remove = path.remove
    place = await makeDatabase()
    db = connect(place.server)
  })
  afterEach(async () => {
    await db.close()
    await place.remove()
    remove()
  })

  /** Compares every answer about the history in the file with those about the same rows in PostgreSQL. */
  async function compare(asked: readonly ProjectRef[], uids: readonly string[]): Promise<void> {
    await copyRows(file, db)
    const sqlite = openSqliteHistory(file, new Machines().process(9))
    const expected = await allAnswersOf(sqlite, asked, uids)
    await sqlite.close()
    expect(await allAnswersOf(postgresReader(db), asked, uids)).toEqual(expected)
  }

  it('answers as SQLite does about a history with something of everything', async () => {
    await makeEventfulHistory(file)
    await compare(projectsOfEvents, uidsOfEvents)
  })

  it('answers as SQLite does about audits of a fleet', async () => {
    writeFileSync(file, gunzipSync(readFileSync(golden)))
    const sqlite = openSqliteHistory(file, new Machines().process(9))
    const scans = await sqlite.latestScans(8)
    const resources = await Promise.all(scans.map(({ project }) => sqlite.stateAt(project, 8)))
    await sqlite.close()
    const uids = resources.flat().map(({ uid }) => uid)
    expect(uids.length).toBeGreaterThan(10)
    await compare(
      scans.map(({ project }) => project),
      uids,
    )
  })

  it('answers as SQLite does after any runs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aRun, { minLength: 1, maxLength: 6 }), async (runs) => {
        const path = temporaryDatabasePath()
        file = path.file
        try {
          const history = openSqliteHistory(file, new Machines().process(1))
          for (const [index, run] of runs.entries()) {
            const draft = await history.begin(aStart(at(index + 1)))
            await perform(draft, run)
            if (run.end === 'commit') await commit(draft)
            else await draft.abandon(at(index + 1.5))
          }
          await history.close()
          await compare(projects, uids.slice(0, 2))
        } finally {
          path.remove()
        }
      }),
      { numRuns: tries(20, { locally: 5 }), seed: 4711 },
    )
  })

  it('names what SQLite names', async () => {
    await makeEventfulHistory(file)
    await copyRows(file, db)
    for (const what of ['runs', 'projects', 'resources', 'violations'] as const) {
      for (const prefix of ['', '1', 'a', 'acme/p', 'u', '%', 'é']) {
        const names = await readNames(place.server, what, prefix)
        expect([what, prefix, new Set(names)]).toEqual([what, prefix, new Set(readNamesOfFile(file, what, prefix))])
      }
    }
    expect(await readNames(place.server, 'runs', '')).toHaveLength(4)
  })

  it('names nothing where there is no history', async () => {
    const empty = await makeDatabase({ empty: true })
    await expect(readNames(empty.server, 'runs', '')).rejects.toThrow(AuditError)
    await empty.remove()
  })
})

/** All that `answersOf` asks, and the rest of what a reader can be asked. */
async function allAnswersOf(
  reader: HistoryReader,
  asked: readonly ProjectRef[],
  uids: readonly string[],
): Promise<unknown[]> {
  const answers: unknown[] = [await reader.lastRun(), await answersOf(reader, uids)]
  const last = (await reader.endedRuns(1)).runs[0]?.number ?? 0
  for (let run = 0; run <= last + 1; run += 1) {
    answers.push([run, await reader.readRun(run), await reader.runInputs(run)])
    for (const text of ['', 'name', 'acme', ...uids]) answers.push(await reader.search(text, run))
    for (const project of [...asked, payments, orders, { ...payments, uid: 'nowhere' }]) {
      const points = uids.flatMap((uid) => kinds.map((kind) => ({ kind, uid, run })))
      answers.push(await reader.completeScansAt(project, run), await reader.latestScans(run, project))
      answers.push(await reader.versionsAt(project, points), await reader.versionsAt(project, points.slice(0, 1)))
      answers.push(await reader.stateAt(project, run, 'endpoint'))
    }
  }
  return answers
}
