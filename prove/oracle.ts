import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openPostgresHistory } from '../src/history/postgres/postgres-history.ts'
import { Machines } from '../test/history/processes.ts'
import { runOracle } from '../test/oracle/run-oracle.ts'
import { openDatabases } from '../test/pool/open-databases.ts'
import { conclude } from './conclude.ts'

/**
 * Compares audits of random fleets with an independent implementation. `node prove/oracle.ts [fleets] [seed]`;
 * `--postgres`: with histories in PostgreSQL; `--from N`: without the first N of them.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { postgres: { type: 'boolean' }, from: { type: 'string', default: '0' } },
})
const [fleets = 100, seed = 1] = positionals.map(Number)
const from = Number(values.from)
await using databases = values.postgres === true ? await openDatabases() : undefined
const makePlace = databases && (() => placeIn(databases))

const keep = mkdtempSync(join(tmpdir(), 'hookdrift-oracle-'))
try {
  const { runs, disagreements } = await runOracle({
    worlds: fleets,
    from,
    seed: String(seed),
    keep,
    ...(makePlace && { makePlace }),
  })
  for (const { seed, run, about, place, oracle, hookdrift } of disagreements.slice(0, 50)) {
    const values = `oracle ${JSON.stringify(oracle)}, hookdrift ${JSON.stringify(hookdrift)}`
    process.stdout.write(`fleet ${seed}, run ${run}: ${about} ${place}: ${values}\n`)
  }
  process.stdout.write(`${fleets - from} fleets, ${runs} runs, ${disagreements.length} disagreements\n`)
  conclude({ cases: fleets - from, violations: { other: disagreements.length } })
} finally {
  rmSync(keep, { recursive: true, force: true })
}

async function placeIn(databases: Awaited<ReturnType<typeof openDatabases>>) {
  const { server, remove } = await databases.make({ empty: true })
  const owner = new Machines().process(1)
  return { open: () => openPostgresHistory(server, owner), remove }
}
