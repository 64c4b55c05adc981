import fc from 'fast-check'
import { afterEach, expect, it } from 'vitest'
import type { History } from '../../src/history/history.ts'
import type { RunRecord } from '../../src/history/records.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { tries } from '../thoroughness.ts'
import { expectAnswersToAgree } from './agreeing-answers.ts'
import { answersOf } from './answers-of.ts'
import { aRun, perform, projects, type Run, stateOf, uids } from './arbitrary-runs.ts'
import { faultsOf, temporaryDatabasePath } from './database-fixture.ts'
import { hasPostgres } from './postgres/databases.ts'
import { makePostgresPlace } from './postgres/postgres-place.ts'
import { Machines, type Process } from './processes.ts'
import { aStart, at, commit } from './samples.ts'

interface Played {
  /** All that could be read before, during and after each run; without links. */
  readonly seen: readonly unknown[]
  /** Links of the committed runs. */
  readonly chains: readonly (string | null)[]
}

/** Performs runs. */
async function play(open: (process: Process) => Promise<History>, runs: readonly Run[]): Promise<Played> {
  const machines = new Machines()
  const seen: unknown[] = []
  const chains: (string | null)[] = []
  const withoutChain = (record: RunRecord | undefined) => record && { ...record, chain: null }
  for (const [index, run] of runs.entries()) {
    const process = machines.process(index + 1)
    const history = await open(process)
    const draft = await history.begin(aStart(at(index + 1)))
    seen.push(await stateOf(draft))
    await perform(draft, run)
    seen.push(await stateOf(draft))
    if (run.end === 'commit') {
      const record = await commit(draft)
      seen.push(withoutChain(record))
      chains.push(record.chain)
    }
    // Asking for marks sets them, so only a run that leaves nothing may ask.
    else for (const project of projects) seen.push(await draft.markUnreferenced(project, 'source', uids))
    if (run.end === 'abandon') await draft.abandon(at(index + 1.5))
    process.kill()
    await machines.pass(60)
    for (let number = 1; number <= draft.run; number += 1) seen.push(withoutChain(await history.readRun(number)))
    seen.push(await answersOf(history, uids.slice(0, 2)))
    await history.close()
  }
  return { seen, chains }
}

let remove = async () => {}
afterEach(() => remove())

/** `ask`: about the whole at its end. */
async function playInFile(runs: readonly Run[], ask?: (history: History) => Promise<void>): Promise<Played> {
  const path = temporaryDatabasePath()
  remove = async () => path.remove()
  const open = async (process: Process) => openSqliteHistory(path.file, process)
  const played = await play(open, runs)
  const history = await open(new Machines().process(99))
  await ask?.(history)
  await history.close()
  expect(faultsOf(path.file)).toEqual([])
  path.remove()
  return played
}

async function playInDatabase(runs: readonly Run[]): Promise<Played> {
  const place = makePostgresPlace()
  remove = async () => void (await place.dispose())
  const played = await play((process) => place.open(process), runs)
  remove = async () => {}
  expect(await place.dispose()).toEqual([])
  return played
}

/** A run finds something only in what it scans. */
function scanningAll(run: Run): Run {
  const others = projects.map((project) => ({ project, listing: 'endpoints' as const, status: 'partial' as const }))
  return { ...run, walks: [...others, ...run.walks] }
}

const someRuns = fc.array(aRun, { minLength: 1, maxLength: 6 })

it('answers that different statements give about any runs agree with each other', async () => {
  await fc.assert(
    fc.asyncProperty(someRuns, async (runs) => {
      await playInFile(runs.map(scanningAll), (history) => expectAnswersToAgree(history, uids))
    }),
    { numRuns: tries(60, { locally: 20 }), seed: 4711 },
  )
}, 180_000)

it.skipIf(!hasPostgres)(
  'PostgreSQL and SQLite show the same after any runs, with the same links',
  async () => {
    await fc.assert(
      fc.asyncProperty(someRuns, async (runs) => {
        expect(await playInDatabase(runs)).toEqual(await playInFile(runs))
      }),
      { numRuns: tries(20, { locally: 12 }), seed: 4712 },
    )
  },
  300_000,
)
