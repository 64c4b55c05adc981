import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { verifyDatabase } from '../src/app/copy-database.ts'
import { verdictOf } from '../src/audit/compose-report.ts'
import { openSecrets } from '../src/gateway/inventory/open-secrets.ts'
import { leaseExpiryMs } from '../src/history/lease-owner.ts'
import { connect } from '../src/history/postgres/connect.ts'
import { leaseExpiryMs as sharedExpiryMs } from '../src/history/postgres/lease.ts'
import { readPostgresUrl } from '../src/history/postgres-server.ts'
import type { Session } from '../src/history/sql/session.ts'
import { SqliteDatabase } from '../src/history/sqlite/sqlite-database.ts'
import { faultsIn } from '../test/audit/verify-history-file.ts'
import { pauseOwner, race } from '../test/history/lease-race.ts'
import { openDatabases } from '../test/pool/open-databases.ts'
import { Tally } from './conclude.ts'

/**
 * Many processes begin a run on one history at once, in a file and in PostgreSQL, round after round; every tenth winner is
 * killed, every fourth is paused beyond its lease and wakes when another one has begun. One wins each round, a paused
 * owner writes nothing more, and in the end the history has the runs whose processes had their commit confirmed, and no other row.
 * `node prove/leases.ts --processes 50 --rounds 1000`; `--pauses 1` owners are paused for a time that really passes.
 * Which process wins is the system's choice, so there is no seed. Ends with 1 for any other outcome.
 */
const { values } = parseArgs({
  options: {
    processes: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '1000' },
    pauses: { type: 'string', default: '1' },
  },
})
const [processes, rounds, pauses] = [Number(values.processes), Number(values.rounds), Number(values.pauses)]

/** A history of its own, empty at first. */
interface Place {
  readonly name: string
  readonly address: string
  /** How long its lease lives without a heartbeat. */
  readonly expiryMs: number
  faults(): Promise<readonly string[]>
  inHistory<Result>(read: (session: Session) => Promise<Result>): Promise<Result>
}

const directory = mkdtempSync(join(tmpdir(), 'hookdrift-leases-'))
const tally = new Tally()
try {
  await using databases = await openDatabases()
  for (const makePlace of [placeInFile, async () => placeInDatabase((await databases.make()).url)]) {
    await proveRace(await makePlace())
    await provePauses(await makePlace())
  }
} finally {
  rmSync(directory, { recursive: true, force: true })
}
tally.conclude('rounds')

async function proveRace(place: Place): Promise<void> {
  const results = await race(place.address, { processes, rounds, killEvery: 10, pauseEvery: 4 })
  for (const [index, round] of results.entries()) {
    const faults = [
      ...(round.winners === 1 ? [] : [`${round.winners} winners`]),
      ...round.exitCodes.filter((code) => code !== 5).map((code) => `a loser ended with ${code}`),
      ...(round.isCommitted ? [] : ['the winner could not commit']),
      ...(round.hasPausedCommitted === true ? ['an owner that was paused beyond its lease committed'] : []),
    ]
    report(`${place.name}, round ${index + 1}`, faults)
  }
  const confirmed = results.flatMap(({ isCommitted, winner, fate }) =>
    isCommitted && fate === 'commits' ? [winner] : [],
  )
  report(`${place.name}, the history`, [
    ...(await place.faults()),
    ...(await place.inHistory((db) => differences(db, confirmed))),
  ])
}

/** What the history has besides the runs whose commits were confirmed, and which of them it lacks. */
async function differences(db: Session, confirmed: readonly (string | undefined)[]): Promise<string[]> {
  const rows = await db.all<{ uid: string; run: number; state: string }>(
    `SELECT v.uid, v.from_run AS run, r.state FROM hookdrift.version v
     LEFT JOIN hookdrift.run r ON r.number = v.from_run ORDER BY v.id`,
  )
  const committed = await db.value<number>("SELECT count(*) FROM hookdrift.run WHERE state = 'committed'")
  const has = new Set(rows.map(({ uid }) => uid))
  const due = confirmed.flatMap((winner) => [`${winner}`, `${winner}, late`])
  return [
    ...rows.flatMap(({ uid, run, state }) =>
      state === 'committed' && uid.startsWith(`${run} of `) && due.includes(uid)
        ? []
        : [`a row of "${uid}" is in run ${run}, which is ${state}`],
    ),
    ...due.flatMap((uid) => (has.has(uid) ? [] : [`no row of "${uid}", whose commit was confirmed`])),
    ...(Number(committed) === confirmed.length
      ? []
      : [`${committed} committed runs, ${confirmed.length} were confirmed`]),
  ]
}

async function provePauses(place: Place): Promise<void> {
  for (let number = 1; number <= pauses; number++) {
    const paused = await pauseOwner(place.address, place.expiryMs + 1_000)
    report(`${place.name}, pause ${number}`, [
      ...(paused.hasOtherBegunEarly ? ['another one began while the lease lived'] : []),
      ...(paused.hasOtherBegunLate ? [] : ['no other one began after the lease']),
      ...(paused.hasPausedCommitted ? ['the paused owner committed'] : []),
      ...(paused.hasOtherCommitted ? [] : ['the new owner could not commit']),
      ...(await place.faults()),
    ])
  }
}

function report(about: string, faults: readonly string[]): void {
  tally.report(
    about,
    faults,
    'whole',
    `npm run prove -- --only leases, or node prove/leases.ts --processes ${processes} --rounds ${rounds}`,
  )
}

function placeInFile(): Place {
  const file = join(mkdtempSync(join(directory, 'file-')), 'hookdrift.db')
  return {
    name: 'file',
    address: file,
    expiryMs: leaseExpiryMs,
    faults: () => faultsIn(file),
    async inHistory(read) {
      const db = new Database(file, { readonly: true })
      return await read(new SqliteDatabase(db)).finally(() => db.close())
    },
  }
}

function placeInDatabase(url: string): Place {
  const server = readPostgresUrl(url)
  return {
    name: 'PostgreSQL',
    address: url,
    expiryMs: sharedExpiryMs,
    async faults() {
      const exitCodeOf = (record: Parameters<typeof verdictOf>[0]) => verdictOf(record).exit_code
      const { checks } = await verifyDatabase(server, { depth: 'deep', exitCodeOf, openSecrets })
      return checks.flatMap(({ id, ok, detail }) => (ok === false ? [`${id}: ${detail}`] : []))
    },
    async inHistory(read) {
      const db = connect(server, { connections: 1 })
      return await read(db).finally(() => db.close())
    },
  }
}
