import { expect, it } from 'vitest'
import { beginRun } from '../../../src/history/draft/run-draft.ts'
import type { Draft } from '../../../src/history/history.ts'
import { connect } from '../../../src/history/postgres/connect.ts'
import { postgresBackend } from '../../../src/history/postgres/postgres-backend.ts'
import { AuditError } from '../../../src/model/errors.ts'
import { faultsIn } from '../database-fixture.ts'
import { Machines } from '../processes.ts'
import { aChange, aStart, at, aVersion, aViolation, commit, payments, walkAll } from '../samples.ts'
import { hasPostgres, makeDatabase } from './databases.ts'

const takeovers = 200

it.skipIf(!hasPostgres)(
  `${takeovers} takeovers from processes that go on writing leave no row of theirs`,
  async () => {
    const database = await makeDatabase()
    const db = connect(database.server, { connections: 4 })
    const machines = new Machines()
    const drafted = `SELECT (SELECT count(*) FROM hookdrift.version WHERE from_run = $1)
      + (SELECT count(*) FROM hookdrift.violation WHERE from_run = $1) + (SELECT count(*) FROM hookdrift.change WHERE run = $1)`
    let writer: Writer | undefined
    const begin = (number: number) => {
      const process = machines.process(number, `host ${number}`)
      const nowMs = process.now()
      // Its clock stops: it misses its heartbeats, goes on writing, and never asks whether it may.
      process.pause()
      return beginRun(postgresBackend(db, { ...process, usesLocalClock: true, now: () => nowMs }), aStart(at(number)))
    }
    for (let number = 1; number <= takeovers; number += 1) {
      const draft = await begin(number)
      await writer?.lost
      if (writer !== undefined) expect(await db.value<number>(drafted, [number - 1])).toBe(0)
      await walkAll(draft)
      writer = new Writer(draft)
      // Some take over at once, others after a page or two, and all somewhere in a page.
      await writer.hasWritten(number % 3)
      for (let turn = 0; turn < number % 7; turn += 1) await db.value('SELECT 1')
      await machines.pass(60)
    }
    const last = await begin(takeovers + 1)
    await writer?.lost
    await walkAll(last)
    await commit(last)
    for (let run = 1; run <= takeovers; run += 1) expect(await db.value<number>(drafted, [run])).toBe(0)
    expect(await faultsIn(db)).toEqual([])
    await db.close()
    await database.remove()
  },
  180_000,
)

it.skipIf(!hasPostgres)(
  'what a taken over draft wrote is never read as missing: its reads say that it was taken over',
  async () => {
    const database = await makeDatabase()
    const db = connect(database.server)
    const machines = new Machines()
    const process = machines.process(1, 'host 1')
    const nowMs = process.now()
    process.pause()
    try {
      const draft = await beginRun(
        postgresBackend(db, { ...process, usesLocalClock: true, now: () => nowMs }),
        aStart(at(1)),
      )
      await draft.stage(payments, [aVersion('a'), aVersion('b')])
      const point = { kind: 'endpoint', uid: 'a', run: 1 } as const
      expect(await draft.versionsAt(payments, [point])).toMatchObject([{ fromRun: 1 }])
      await machines.pass(60)
      await beginRun(postgresBackend(db, machines.process(2, 'host 2')), aStart(at(2)))

      await expect(draft.versionsAt(payments, [point])).rejects.toMatchObject({ kind: 'busy' })
    } finally {
      await db.close()
      await database.remove()
    }
  },
)

/** Writes page after page, until its draft may no longer: another has taken over. */
class Writer {
  readonly lost: Promise<void>
  #pages = 0
  readonly #waiting = new Map<number, () => void>()

  constructor(draft: Draft) {
    this.lost = this.#write(draft)
  }

  /** Until so many pages are written. */
  hasWritten(pages: number): Promise<void> {
    if (this.#pages >= pages) return Promise.resolve()
    const tooEarly = this.lost.then(() => expect.fail('another took over before the pages were written'))
    return Promise.race([tooEarly, new Promise<void>((resolve) => this.#waiting.set(pages, resolve))])
  }

  async #write(draft: Draft): Promise<void> {
    try {
      for (;;) {
        const uids = Array.from({ length: 40 }, (_, place) => `${this.#pages}-${place}`)
        await draft.stage(
          payments,
          uids.map((uid) => aVersion(uid)),
        )
        await draft.stageChanges(
          payments,
          uids.map((uid) => aChange(uid)),
        )
        await draft.stageViolations(payments, { confirmed: [], violations: uids.map((uid) => aViolation(uid)) })
        this.#pages += 1
        this.#waiting.get(this.#pages)?.()
      }
    } catch (error) {
      if (!(error instanceof AuditError && error.exitCode === 5)) throw error
    }
  }
}
