import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { tries } from '../thoroughness.ts'
import { expectAnswersToAgree } from './agreeing-answers.ts'
import { answersOf } from './answers-of.ts'
import { aRun, perform, projects, type Run, stateOf, uids } from './arbitrary-runs.ts'
import type { Place } from './contract-fixture.ts'
import { markIn } from './known-in.ts'
import { contentsIn } from './move/copied.ts'
import { hasPostgres } from './postgres/databases.ts'
import { makePostgresPlace } from './postgres/postgres-place.ts'
import { Machines } from './processes.ts'
import { aStart, at, commit } from './samples.ts'
import { makeSqlitePlace } from './sqlite-place.ts'

/** Performs runs. Returns all that could be read before, during and after each, and every row at the end. */
async function play(place: Place, runs: readonly Run[]) {
  const machines = new Machines()
  const seen: unknown[] = []
  for (const [index, run] of runs.entries()) {
    const process = machines.process(index + 1)
    const history = await place.open(process)
    const draft = await history.begin(aStart(at(index + 1)))
    seen.push(await stateOf(draft))
    await perform(draft, run)
    seen.push(await stateOf(draft))
    if (run.end === 'commit') seen.push(await commit(draft))
    // Asking for marks sets them, so only a run that leaves nothing may ask.
    else for (const project of projects) seen.push(await markIn(draft, project, 'source', uids))
    if (run.end === 'abandon') await draft.abandon(at(index + 1.5))
    process.kill()
    await machines.pass(60)
    for (let number = 1; number <= draft.run; number += 1) seen.push(await readRunRecord(history, number))
    seen.push(await answersOf(history, uids.slice(0, 2)))
    await history.close()
  }
  seen.push(await place.inDatabase(contentsIn))
  return seen
}

/** What `work` returns of a place, which is sound after it. */
async function inPlace<Result>(place: Place, work: (place: Place) => Promise<Result>) {
  try {
    return await work(place)
  } finally {
    expect(await place.dispose()).toEqual([])
  }
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
      await inPlace(makeSqlitePlace(), async (place) => {
        await play(place, runs.map(scanningAll))
        await expectAnswersToAgree(await place.open(new Machines().process(99)), uids)
      })
    }),
    { numRuns: tries(60, { locally: 20 }), seed: 4711 },
  )
}, 180_000)

it.skipIf(!hasPostgres)(
  'PostgreSQL and SQLite give the same answers and hold the same rows after any runs',
  async () => {
    await fc.assert(
      fc.asyncProperty(someRuns, async (runs) => {
        const [ofDatabase, ofFile] = [makePostgresPlace(), makeSqlitePlace()]
        const playIn = (place: Place) => inPlace(place, (place) => play(place, runs))
        expect(await playIn(ofDatabase)).toEqual(await playIn(ofFile))
      }),
      { numRuns: tries(20, { locally: 12 }), seed: 4712 },
    )
  },
  300_000,
)
