import { expect, it } from 'vitest'
import { beginRun } from '../../../src/history/draft/run-draft.ts'
import type { Draft } from '../../../src/history/history.ts'
import { connect } from '../../../src/history/postgres/connect.ts'
import { postgresBackend } from '../../../src/history/postgres/postgres-backend.ts'
import { faultsIn } from '../database-fixture.ts'
import { Machines } from '../processes.ts'
import { aChange, aStart, at, aVersion, aViolation, commit, payments, walkAll } from '../samples.ts'
import { hasPostgres, makeDatabase } from './databases.ts'

const takeovers = 100

it.skipIf(!hasPostgres)(
  `${takeovers} takeovers from processes that commit all the same leave no row of theirs`,
  async () => {
    const database = await makeDatabase()
    const db = connect(database.server, { connections: 4 })
    const machines = new Machines()
    const written = `SELECT (SELECT count(*) FROM hookdrift.version WHERE from_run = $1)
      + (SELECT count(*) FROM hookdrift.violation WHERE from_run = $1) + (SELECT count(*) FROM hookdrift.change WHERE run = $1)`
    const begin = (number: number) => {
      const process = machines.process(number, `host ${number}`)
      const nowMs = process.now()
      // Its clock stops: it misses its heartbeats, and goes on.
      process.pause()
      return beginRun(postgresBackend(db, { ...process, usesLocalClock: true, now: () => nowMs }), aStart(at(number)))
    }
    let committed = 0
    let before: Promise<boolean> | undefined
    for (let number = 1; number <= takeovers; number += 1) {
      const draft = await begin(number)
      if ((await before) === true) committed += 1
      await fill(draft)
      await machines.pass(60)
      // It commits while the next one takes over: one of them waits for the other.
      before = commit(draft).then(
        () => true,
        (error) => {
          expect(error).toMatchObject({ kind: 'busy' })
          return false
        },
      )
      for (let turn = 0; turn < number % 7; turn += 1) await db.value('SELECT 1')
    }
    const last = await begin(takeovers + 1)
    if ((await before) === true) committed += 1
    await walkAll(last)
    await commit(last)
    const states = await db.all<{ number: number; state: string }>('SELECT number, state FROM hookdrift.run')
    expect(states.filter(({ state }) => state === 'committed')).toHaveLength(committed + 1)
    for (const { number, state } of states) {
      if (state === 'interrupted') expect(await db.value<number>(written, [number])).toBe(0)
      else if (number <= takeovers) expect(await db.value<number>(written, [number])).toBe(120)
    }
    expect(await faultsIn(db)).toEqual([])
    await db.close()
    await database.remove()
  },
  180_000,
)

async function fill(draft: Draft): Promise<void> {
  await walkAll(draft)
  const uids = Array.from({ length: 40 }, (_, place) => `${draft.run}-${place}`)
  await draft.stage(
    payments,
    uids.map((uid) => aVersion(uid)),
  )
  await draft.stageChanges(
    payments,
    uids.map((uid) => aChange(uid)),
  )
  await draft.stageViolations(payments, { confirmed: [], violations: uids.map((uid) => aViolation(uid)) })
}
