import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, type PostgresDatabase } from '../../../src/history/postgres/connect.ts'
import { readNames } from '../../../src/history/postgres/read-names.ts'
import type { PostgresServer } from '../../../src/history/postgres-server.ts'
import type { HistoryReader, ViolationGroup } from '../../../src/history/reader.ts'
import type { SqlValue } from '../../../src/history/sql/session.ts'
import { sqlReader } from '../../../src/history/sql/sql-reader.ts'
import { readNames as readNamesOfFile } from '../../../src/history/sqlite/read-names.ts'
import { openSqliteHistory } from '../../../src/history/sqlite/sqlite-history.ts'
import { AuditError } from '../../../src/model/errors.ts'
import { kinds, type ProjectRef } from '../../../src/model/resource.ts'
import { answersOf } from '../answers-of.ts'
import { makeAuditedHistory } from '../audited-history.ts'
import { temporaryDatabasePath } from '../database-fixture.ts'
import { copyToPostgres } from '../move/copied.ts'
import { Machines } from '../processes.ts'
import { orders, payments } from '../samples.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from './databases.ts'
import { makeEventfulHistory, projectsOfEvents, uidsOfEvents } from './eventful-history.ts'
import { hostileTexts, makeHostileHistory } from './hostile-history.ts'
import { fillHistory } from './large-history.ts'

describe.skipIf(!hasPostgres)('the reader of PostgreSQL', () => {
  let file: string
  let removeFile: () => void
  const places: TestDatabase[] = []
  beforeEach(() => {
    const path = temporaryDatabasePath()
    file = path.file
    removeFile = path.remove
  })
  afterEach(async () => {
    removeFile()
    for (const { remove } of places.splice(0)) await remove()
  })

  async function makePlace(options = {}): Promise<PostgresServer> {
    const place = await makeDatabase(options)
    places.push(place)
    return place.server
  }

  /** Puts the rows of the file into PostgreSQL. */
  async function copied(): Promise<PostgresServer> {
    const server = await makePlace()
    await copyToPostgres(file, server)
    return server
  }

  async function ask<Answer>(
    server: PostgresServer,
    question: (reader: HistoryReader) => Promise<Answer>,
  ): Promise<Answer> {
    const reader = sqlReader(connect(server))
    try {
      return await question(reader)
    } finally {
      await reader.close()
    }
  }

  /** Compares every answer about the history in the file with those about the same rows in PostgreSQL. */
  async function compare(asked: readonly ProjectRef[], uids: readonly string[]): Promise<void> {
    const sqlite = openSqliteHistory(file, new Machines().process(9))
    const expected = await allAnswersOf(sqlite, asked, uids)
    await sqlite.close()
    expect(await ask(await copied(), (reader) => allAnswersOf(reader, asked, uids))).toEqual(expected)
  }

  it('answers as SQLite does about a history with something of everything', async () => {
    await makeEventfulHistory(file)
    await compare(projectsOfEvents, uidsOfEvents)
  })

  it('names owners, waivers and acceptances of a run', async () => {
    await makeEventfulHistory(file)
    const records = await ask(await copied(), (reader) => Promise.all([1, 2, 3].map((run) => reader.readRun(run))))
    const owners = records.map((record) =>
      record?.violations.map(({ project, uid, path, state, owner, waiver }) =>
        [project, uid, path, state, owner, waiver?.owner].join(' '),
      ),
    )
    expect(owners).toEqual([
      [
        'acme/orders a /url opened tenant-2 ',
        'acme/payments b /url opened  ',
        'acme/payments u /url opened tenant-1 ',
        'acme/payments v /url opened  ',
        'acme/payments a /url waived tenant-1 payments',
        'acme/payments a /name opened tenant-1 ',
      ],
      [
        'acme/payments-eu c /url opened  ',
        'hookdrift/policy w /url opened  ',
        'acme/payments-eu a /url continuing tenant-3 ',
        'acme/payments-eu u /url continuing  ',
        'acme/payments-eu v /url continuing  ',
        'acme/payments-eu a /name continuing tenant-3 ',
        'acme/payments-eu b /url resolved  ',
      ],
      [
        'acme/payments c /url continuing  ',
        'acme/orders a /url continuing tenant-2 ',
        'acme/payments a /url continuing tenant-3 ',
        'acme/payments u /url continuing  ',
        'acme/payments v /url continuing  ',
        'acme/payments a /name unknown tenant-3 ',
      ],
    ])
    expect(records.map((record) => record?.accepted.map(({ by }) => by))).toEqual([[], ['lee'], ['lee']])
  })

  it('answers as SQLite does about audits of a fleet', async () => {
    writeFileSync(file, await makeAuditedHistory())
    const sqlite = openSqliteHistory(file, new Machines().process(9))
    const scans = await sqlite.latestScans(5)
    const resources = await Promise.all(scans.map(({ project }) => sqlite.stateAt(project, 5)))
    await sqlite.close()
    const uids = resources.flat().flatMap(({ uid }, index) => (index % 8 === 0 ? [uid] : []))
    expect(uids.length).toBeGreaterThan(2)
    const audited = scans.map(({ project }) => project)
    await compare(audited, uids)
  })

  it.each(hostileTexts)('reads what services may send: %s', async (_, text) => {
    const odd = await makeHostileHistory(file, text)
    // SQLite does not find half a surrogate pair that a body contains. Of 1 MB, there are too many answers to compare.
    if (text.isWellFormed() && text.length < 1000) await compare([odd], [text])
    const server = await copied()
    const uid = odd.uid.toWellFormed()
    const endpoint = { project: odd, kind: 'endpoint', uid } as const
    await ask(server, async (reader) => {
      const record = await reader.readRun(1)
      expect(record?.violations.map((violation) => [violation.uid, violation.owner])).toEqual([
        [uid, text.toWellFormed()],
        [uid, text.toWellFormed()],
      ])
      expect(await reader.find(odd.uid, 1)).toMatchObject([{ kind: 'endpoint' }, { kind: 'subscription' }])
      expect(await reader.search(text, 1)).toHaveLength(2)
      expect(await reader.referrersOf(endpoint, 1)).toMatchObject([{ uid }])
    })
    expect(await readNames(server, 'resources', text.slice(0, 300))).toHaveLength(2)
  })

  it('holds no violation but the first, and those that come with it from the server', async () => {
    const db = connect(await makePlace())
    await fillHistory(db, { projects: 2, runs: 3, resources: 2000 })
    const read: number[] = []
    const listening: PostgresDatabase = {
      ...db,
      snapshot: (work) =>
        db.snapshot((transaction) =>
          work({
            ...transaction,
            async all<Row extends object>(sql: string, values?: readonly SqlValue[]) {
              const rows = await transaction.all<Row>(sql, values)
              read.push(rows.length)
              return rows
            },
          }),
        ),
    }
    let asked = 0
    const isChosen = ({ violations }: ViolationGroup) => {
      asked += violations
      return true
    }
    const choice = { run: 3, withActive: true, resolvedAfter: 0, isChosen, most: 2 }
    const first = await sqlReader(listening).firstViolations(choice)
    await db.close()
    expect(first).toHaveLength(2)
    expect(asked).toBeGreaterThan(4000)
    expect(Math.max(...read)).toBe(2)
  })

  it('names what SQLite names', async () => {
    await makeEventfulHistory(file)
    const server = await copied()
    for (const what of ['runs', 'projects', 'resources', 'violations'] as const) {
      for (const prefix of ['', '1', 'a', 'acme/p', 'u', '%', 'é']) {
        const names = await readNames(server, what, prefix)
        expect([what, prefix, new Set(names)]).toEqual([
          what,
          prefix,
          new Set(await readNamesOfFile(file, what, prefix)),
        ])
      }
    }
    expect(await readNames(server, 'runs', '')).toHaveLength(4)
  })

  it('names nothing where there is no history', async () => {
    await expect(readNames(await makePlace({ empty: true }), 'runs', '')).rejects.toThrow(AuditError)
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
    // SQLite takes a text to end at its first NUL.
    for (const text of ['', 'name', ...uids.filter((uid) => !uid.includes('\0'))])
      answers.push(await reader.search(text, run))
    for (const project of [...asked, payments, orders, { ...payments, uid: 'nowhere' }]) {
      const points = uids.flatMap((uid) => kinds.map((kind) => ({ kind, uid, run })))
      answers.push(await reader.completeScansAt(project, run), await reader.latestScans(run, project))
      answers.push(await reader.versionsAt(project, points), await reader.versionsAt(project, points.slice(0, 1)))
      answers.push(await reader.stateAt(project, run, 'endpoint'))
    }
  }
  return answers
}
