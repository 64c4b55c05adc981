import { openPostgresHistory } from '../src/history/postgres/postgres-history.ts'
import { Machines } from '../test/history/processes.ts'
import { runOracle } from '../test/oracle/run-oracle.ts'
import { openDatabases } from '../test/pool/open-databases.ts'
import { type Breach, type Range, runCases } from './run-cases.ts'

/**
 * Compares audits of random fleets with an independent implementation. `node prove/oracle.ts [fleets] [seed]`;
 * `--postgres`: with histories in PostgreSQL.
 */
const flag = 'postgres'
await using databases = process.argv.includes(`--${flag}`) ? await openDatabases() : undefined
// The processes that this one starts share its server.
if (databases !== undefined) process.env.HOOKDRIFT_TEST_POSTGRES = databases.url
const makePlace = databases && (() => placeIn(databases))

// Ten times what they take on a busy machine.
await runCases({ script: import.meta.url, atOnce: 5, deadlineMs: 1_200_000, flags: [flag], prove })

async function prove({ seed, from, to }: Range): Promise<readonly Breach[]> {
  const { disagreements } = await runOracle({ worlds: to, from, seed, ...(makePlace && { makePlace }) })
  return disagreements.map(({ seed, run, about, place, oracle, hookdrift }) => ({
    index: Number(seed.split('-').at(-1)),
    promise: 'other',
    what: `run ${run}, ${about} ${place}: oracle ${JSON.stringify(oracle)}, hookdrift ${JSON.stringify(hookdrift)}`,
    shrunk: `fleet ${seed}`,
    size: 0,
  }))
}

async function placeIn(databases: Awaited<ReturnType<typeof openDatabases>>) {
  const { server, remove } = await databases.make({ empty: true })
  const owner = new Machines().process(1)
  return { open: () => openPostgresHistory(server, owner), remove }
}
