import { assert, expect, it } from 'vitest'
import { findCommittedRun } from '../../src/history/sql/runs.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { readLastChanges } from '../../src/questions/read-last-changes.ts'
import { watchStatements } from '../history/changed-history.ts'
import { temporaryDatabasePaths } from '../history/database-fixture.ts'
import { Machines } from '../history/processes.ts'
import { aChange, aCoverage, aStart, at, orders, payments, walkAll } from '../history/samples.ts'

const newFile = temporaryDatabasePaths()

it('keeps what is not scanned, however long, and the last changes besides', async () => {
  const history = openSqliteHistory(newFile(), new Machines().process(100))
  for (let run = 1; run <= 5; run++) {
    const draft = await history.begin(aStart(at(run)))
    await draft.stageScan(payments)
    await draft.stageWalk(payments, aCoverage('endpoints', 'failed'), undefined)
    await walkAll(draft, orders)
    await draft.stageChanges(orders, [aChange(`${run}a`), aChange(`${run}b`)])
    await draft.commit(at(run + 0.5), () => 3)
  }
  const until = await findCommittedRun(history, 4)
  assert(until, 'run 4 is missing')
  const statements = watchStatements(history)
  const entries = await readLastChanges(history, until, 3)
  expect(entries.map(({ what, run }) => [what, run])).toEqual([
    ['added', 4],
    ['added', 4],
    ['added', 3],
    ['not-scanned', 1],
  ])
  // No run is counted that is not shown.
  expect(statements.filter((sql) => sql.includes('count(*) FROM hookdrift.run'))).toEqual([])
})

it('reads only runs that found a change', async () => {
  const history = openSqliteHistory(newFile(), new Machines().process(100))
  for (let run = 1; run <= 4; run++) {
    const draft = await history.begin(aStart(at(run)))
    await walkAll(draft, orders)
    if (run === 2) await draft.stageChanges(orders, [aChange('E1')])
    await draft.commit(at(run + 0.5), () => 0)
  }
  const until = await findCommittedRun(history, 4)
  assert(until, 'run 4 is missing')
  const statements = watchStatements(history)
  expect((await readLastChanges(history, until, 3)).map(({ what, run }) => [what, run])).toEqual([['added', 2]])
  expect(statements.filter((sql) => sql.includes('rules_document'))).toHaveLength(1)
})

it('names a resource without a name by its uid', async () => {
  const history = openSqliteHistory(newFile(), new Machines().process(100))
  const draft = await history.begin(aStart(at(1)))
  await walkAll(draft, orders)
  await draft.stageChanges(orders, [{ ...aChange('E1'), name: '' }])
  await draft.commit(at(1.5), () => 0)
  const until = await findCommittedRun(history, 1)
  assert(until, 'run 1 is missing')
  const [entry] = await readLastChanges(history, until, 3)
  expect(entry?.title).toBe(`endpoint E1 in ${orders.name} added`)
})
