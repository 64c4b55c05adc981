import fc from 'fast-check'
import { afterEach, expect, it } from 'vitest'
import type { History } from '../../src/history/history.ts'
import type { RunRecord } from '../../src/history/records.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { tries } from '../thoroughness.ts'
import { answersOf } from './answers-of.ts'
import { aRun, perform, projects, type Run, stateOf, uids } from './arbitrary-runs.ts'
import { faultsOf, temporaryDatabasePath } from './database-fixture.ts'
import { emptyMemory, openMemoryHistory } from './model/memory-history.ts'
import { Machines, type Process } from './processes.ts'
import { aStart, at, commit } from './samples.ts'

/** Links are made of SQLite's rows. */
const withoutChain = (record: RunRecord | undefined) => record && { ...record, chain: null }
/** Performs runs, and returns all that could be read before, during and after each. */
async function play(open: (process: Process) => History, runs: readonly Run[]): Promise<unknown[]> {
  const machines = new Machines()
  const seen: unknown[] = []
  for (const [index, run] of runs.entries()) {
    const process = machines.process(index + 1)
    const history = open(process)
    const draft = await history.begin(aStart(at(index + 1)))
    seen.push(await stateOf(draft))
    await perform(draft, run)
    seen.push(await stateOf(draft))
    if (run.end === 'commit') seen.push(withoutChain(await commit(draft)))
    // Asking for marks sets them, so only a run that leaves nothing may ask.
    else for (const project of projects) seen.push(await draft.markUnreferenced(project, 'source', uids))
    if (run.end === 'abandon') await draft.abandon(at(index + 1.5))
    process.kill()
    await machines.pass(60)
    for (let number = 1; number <= draft.run; number += 1) seen.push(withoutChain(await history.readRun(number)))
    seen.push(await answersOf(history, uids.slice(0, 2)))
    await history.close()
  }
  return seen
}

let remove = () => {}
afterEach(() => remove())

it('SQLite and the in-memory model show the same after any runs', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aRun, { minLength: 1, maxLength: 6 }), async (runs) => {
      const path = temporaryDatabasePath()
      remove = path.remove
      const fromSqlite = await play((process) => openSqliteHistory(path.file, process), runs)
      expect(faultsOf(path.file)).toEqual([])
      expect(fromSqlite).toEqual(await playInMemory(runs))
      path.remove()
    }),
    { numRuns: tries(60, { locally: 20 }), seed: 4711 },
  )
}, 180_000)

async function playInMemory(runs: readonly Run[]): Promise<unknown[]> {
  const memory = emptyMemory()
  return play((process) => openMemoryHistory(process, memory), runs)
}
