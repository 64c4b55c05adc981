import { parseArgs } from 'node:util'
import { openDatabases } from '../test/pool/open-databases.ts'
import { proveRandomWorlds } from './pool/random-worlds.ts'
import { proveYear } from './pool/year.ts'

/**
 * Audits by one process on SQLite, by one on PostgreSQL, by four workers, and by four workers of which some are lost and
 * go on later; compares every report in every format, every answer of the history, and the body of every message.
 * `node prove/pool.ts [worlds] [seed]`: random worlds, 1,000 by default, `--at-once 3` of them at a time.
 * `--year DAYS`: days of the year of `bench:year`, with `--projects 20` of 200 resources each.
 * Ends with 1 when anything differs.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'at-once': { type: 'string', default: '3' },
    year: { type: 'string' },
    projects: { type: 'string', default: '20' },
  },
})
const [worlds = 1_000, first = 1] = positionals.map(Number)

await using databases = await openDatabases()
const makeDatabase = () => databases.make()
const isEqual =
  values.year === undefined
    ? await proveRandomWorlds(makeDatabase, { worlds, first, atOnce: Number(values['at-once']) })
    : await proveYear(makeDatabase, { days: Number(values.year), projects: Number(values.projects) })
if (!isEqual) process.exitCode = 1
