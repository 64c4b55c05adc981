import { parseArgs } from 'node:util'
import { openDatabases } from '../test/pool/open-databases.ts'
import { conclude } from './conclude.ts'
import { proveRandomFleets } from './pool/random-fleets.ts'
import { proveYear } from './pool/year.ts'

/**
 * Audits by one process on SQLite, by one on PostgreSQL, by four workers, and by four workers of which some are lost and
 * go on later; compares every report in every format, every answer of the history, and the body of every message.
 * `node prove/pool.ts [fleets] [seed]`: random fleets, 1,000 by default, `--at-once 3` of them at a time.
 * `--year DAYS`: days of the year of `npm run bench -- year`, with `--projects 20` of 200 resources each.
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
const [fleets = 1_000, first = 1] = positionals.map(Number)

await using databases = await openDatabases()
const makeDatabase = () => databases.make()
const outcome =
  values.year === undefined
    ? await proveRandomFleets(makeDatabase, { fleets, first, atOnce: Number(values['at-once']) })
    : await proveYear(makeDatabase, { days: Number(values.year), projects: Number(values.projects) })
conclude(outcome)
