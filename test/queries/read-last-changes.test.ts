import { expect, it, vi } from 'vitest'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { readLastChanges } from '../../src/queries/read-last-changes.ts'
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
  const until = await history.committedRun(4)
  if (until === undefined) throw new Error('run 4 is missing')
  const whole = vi.spyOn(history, 'endedRuns')
  const entries = await readLastChanges(history, until, 3)
  expect(entries.map(({ what, run }) => [what, run])).toEqual([
    ['added', 4],
    ['added', 4],
    ['added', 3],
    ['not-scanned', 1],
  ])
  expect(whole).not.toHaveBeenCalled()
})
