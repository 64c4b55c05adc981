import { AuditError } from '../../src/model/errors.ts'
import { compareWithPool } from '../../test/pool/compare-with-pool.ts'
import type { ProvingDatabase } from '../../test/pool/open-databases.ts'
import type { Outcome } from '../conclude.ts'

interface Totals {
  fleets: number
  runs: number
  lost: number
  differing: number
}

/** Fleets between two lines of progress. */
const shownEvery = 50

/**
 * Audits random fleets by four sides, `atOnce` at a time, since most of one is waiting. Prints what differs when it is
 * found. Each is a case.
 */
export async function proveRandomFleets(
  makeDatabase: () => Promise<ProvingDatabase>,
  { fleets, first, atOnce }: { readonly fleets: number; readonly first: number; readonly atOnce: number },
): Promise<Outcome> {
  const totals: Totals = { fleets: 0, runs: 0, lost: 0, differing: 0 }
  const startedAt = performance.now()
  let next = first
  const work = async () => {
    while (next < first + fleets) {
      const seed = next++
      const fleet = await audited(seed, makeDatabase)
      totals.fleets += 1
      totals.runs += fleet.runs
      totals.lost += fleet.lost
      if (fleet.differences.length > 0) {
        totals.differing += 1
        process.stdout.write(`fleet ${seed}:\n${fleet.differences.map((line) => `  ${line}\n`).join('')}`)
      }
      if (totals.fleets % shownEvery === 0) process.stdout.write(describe(totals, startedAt))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  process.stdout.write(`seeds ${first} to ${first + fleets - 1}: ${describe(totals, startedAt)}`)
  return { cases: totals.fleets, violations: { other: totals.differing } }
}

/**
 * On a busy machine this process may rest in a transaction for so long that the server ends it. Such a run is not
 * committed, and a worker would try again: so does the fleet.
 */
async function audited(seed: number, makeDatabase: () => Promise<ProvingDatabase>) {
  for (let tries = 1; ; tries++) {
    try {
      return await compareWithPool(String(seed), makeDatabase)
    } catch (error) {
      if (!(error instanceof AuditError && error.kind === 'failure') || tries === 3) throw error
      process.stdout.write(`fleet ${seed} begins again: ${error.message}\n`)
    }
  }
}

function describe({ fleets, runs, lost, differing }: Totals, startedAt: number): string {
  const seconds = (performance.now() - startedAt) / 1000
  return `${fleets} fleets, ${runs} runs of four sides, ${lost} walks taken over from lost workers, ${differing} fleets differ, ${(seconds / fleets).toFixed(1)} s a fleet\n`
}
