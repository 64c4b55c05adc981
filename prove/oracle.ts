import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runOracle } from '../test/oracle/run-oracle.ts'
import { conclude } from './conclude.ts'

/** Compares audits of random fleets with an independent implementation. `node prove/oracle.ts [fleets] [seed]`. */
const [fleets = 100, seed = 1] = process.argv.slice(2).map(Number)

const keep = mkdtempSync(join(tmpdir(), 'hookdrift-oracle-'))
try {
  const { runs, disagreements } = await runOracle({ worlds: fleets, seed: String(seed), keep, onProgress: () => {} })
  for (const { seed, run, about, place, oracle, hookdrift } of disagreements.slice(0, 50)) {
    const values = `oracle ${JSON.stringify(oracle)}, hookdrift ${JSON.stringify(hookdrift)}`
    process.stdout.write(`fleet ${seed}, run ${run}: ${about} ${place}: ${values}\n`)
  }
  process.stdout.write(`${fleets} fleets, ${runs} runs, ${disagreements.length} disagreements\n`)
  conclude({ cases: fleets, violations: disagreements.length })
} finally {
  rmSync(keep, { recursive: true, force: true })
}
