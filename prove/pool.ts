import { connect } from '../src/history/postgres/connect.ts'
import { upgradeSchema } from '../src/history/postgres/migrate.ts'
import { readPostgresUrl } from '../src/history/postgres-server.ts'
import { compareWithPool } from '../test/pool/compare-with-pool.ts'
import { makeCluster } from '../test/start-postgres.ts'

/**
 * Audits random worlds by one process on SQLite, by one on PostgreSQL, by four workers, and by four workers of which some
 * are lost and go on later; compares every report in every format, and every answer of the history.
 * `node prove/pool.ts [worlds] [seed]`: 1,000 worlds by default; ends with 1 when anything differs. Uses the installed
 * PostgreSQL, or the server that HOOKDRIFT_TEST_POSTGRES names.
 */
const [worlds = 1_000, first = 1] = process.argv.slice(2).map(Number)

const given = process.env.HOOKDRIFT_TEST_POSTGRES
const cluster = given === undefined ? makeCluster() : undefined
if (given === undefined && cluster === undefined) throw new Error('PostgreSQL is not installed')
const url =
  given ?? `postgres://${cluster?.user}@localhost/postgres?host=${encodeURIComponent(cluster?.directory ?? '')}`
const administrator = connect(readPostgresUrl(url))

let made = 0
async function makeDatabase() {
  made += 1
  const name = `prove_${process.pid}_${made}`
  await administrator.foreign(`CREATE DATABASE ${name} TEMPLATE template0`)
  const own = new URL(url)
  own.pathname = `/${name}`
  const server = readPostgresUrl(own.href)
  const db = connect(server)
  await upgradeSchema(db, '2026-01-01T00:00:00.000Z')
  await db.close()
  const remove = async () => void (await administrator.foreign(`DROP DATABASE ${name} WITH (FORCE)`))
  return { url: own.href, server, remove }
}

/** The server may still start. */
async function untilReady(): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await administrator.value('SELECT 1'))
    } catch (error) {
      if (tries === 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}

let [runs, lost, differing] = [0, 0, 0]
try {
  await untilReady()
  for (let seed = first; seed < first + worlds; seed++) {
    const world = await compareWithPool(String(seed), makeDatabase)
    runs += world.runs
    lost += world.lost
    if (world.differences.length > 0) {
      differing++
      process.stdout.write(`world ${seed}:\n${world.differences.map((line) => `  ${line}\n`).join('')}`)
    }
  }
} finally {
  await administrator.close()
  await cluster?.remove()
}
process.stdout.write(
  `${worlds} worlds, ${runs} runs of four sides, ${lost} walks taken over from lost workers, ${differing} worlds differ\n`,
)
if (differing > 0) process.exitCode = 1
