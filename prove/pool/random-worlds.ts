import { AuditError } from '../../src/model/errors.ts'
import { compareWithPool } from '../../test/pool/compare-with-pool.ts'
import type { ProvingDatabase } from '../../test/pool/open-databases.ts'

interface Totals {
  worlds: number
  runs: number
  lost: number
  differing: number
}

/** Worlds between two lines of progress. */
const shownEvery = 50

/**
 * Audits random worlds by four sides, `atOnce` at a time, since most of a world is waiting. Prints what differs when it is
 * found. Returns whether nothing did.
 */
export async function proveRandomWorlds(
  makeDatabase: () => Promise<ProvingDatabase>,
  { worlds, first, atOnce }: { readonly worlds: number; readonly first: number; readonly atOnce: number },
): Promise<boolean> {
  const totals: Totals = { worlds: 0, runs: 0, lost: 0, differing: 0 }
  const startedAt = performance.now()
  let next = first
  const work = async () => {
    while (next < first + worlds) {
      const seed = next++
      const world = await audited(seed, makeDatabase)
      totals.worlds += 1
      totals.runs += world.runs
      totals.lost += world.lost
      if (world.differences.length > 0) {
        totals.differing += 1
        process.stdout.write(`world ${seed}:\n${world.differences.map((line) => `  ${line}\n`).join('')}`)
      }
      if (totals.worlds % shownEvery === 0) process.stdout.write(describe(totals, startedAt))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  process.stdout.write(`seeds ${first} to ${first + worlds - 1}: ${describe(totals, startedAt)}`)
  return totals.differing === 0
}

/**
 * On a busy machine this process may rest in a transaction for so long that the server ends it. Such a run is not
 * committed, and a worker would try again: so does the world.
 */
async function audited(seed: number, makeDatabase: () => Promise<ProvingDatabase>) {
  for (let tries = 1; ; tries++) {
    try {
      return await compareWithPool(String(seed), makeDatabase)
    } catch (error) {
      if (!(error instanceof AuditError && error.kind === 'failure') || tries === 3) throw error
      process.stdout.write(`world ${seed} begins again: ${error.message}\n`)
    }
  }
}

function describe({ worlds, runs, lost, differing }: Totals, startedAt: number): string {
  const seconds = (performance.now() - startedAt) / 1000
  return `${worlds} worlds, ${runs} runs of four sides, ${lost} walks taken over from lost workers, ${differing} worlds differ, ${(seconds / worlds).toFixed(1)} s a world\n`
}
