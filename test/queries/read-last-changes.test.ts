import { expect, it, vi } from 'vitest'
import { readLastChanges } from '../../src/queries/read-last-changes.ts'
import { openMemoryHistory } from '../history/model/memory-history.ts'
import { Machines } from '../history/processes.ts'
import { aChange, aCoverage, aStart, at, orders, payments, walkAll } from '../history/samples.ts'

it('keeps what is not scanned, however long, and the last changes besides', async () => {
  const history = openMemoryHistory(new Machines().process(100))
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
