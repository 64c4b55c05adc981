import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { verifyDatabase } from '../../src/app/copy-database.ts'
import { verificationOf } from '../../src/app/verify-report.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { createRandom } from '../../src/demo/random.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import { upgradeSchema } from '../../src/history/postgres/migrate.ts'
import { openPostgresHistory } from '../../src/history/postgres/postgres-history.ts'
import { type PostgresServer, readPostgresUrl } from '../../src/history/postgres-server.ts'
import { openAuditHarness, policyOf } from '../audit/audit-harness.ts'
import { hasPostgres } from '../history/postgres/databases.ts'
import { Machines } from '../history/processes.ts'
import { editAtRandom } from '../oracle/random-edits.ts'
import { makeCluster } from '../start-postgres.ts'
import { maskedReport } from './worker-processes.ts'

/** A small file system in memory, which only a privileged user may mount; undefined for others. */
function mountSmallDisk(): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'hookdrift-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=80m', 'tmpfs', directory], { stdio: 'ignore' })
  onTestFinished(() => {
    if (status === 0) spawnSync('umount', ['--lazy', directory], { stdio: 'ignore' })
    rmSync(directory, { recursive: true, force: true })
  })
  return status === 0 ? directory : undefined
}

const policy = policyOf('{"extends":["all"]}')

it.skipIf(!hasPostgres)(
  'a server without room for its log ends a run with a clear error, keeps nothing half, and the next run is right',
  { timeout: 170_000 },
  async ({ skip }) => {
    const disk = mountSmallDisk()
    if (disk === undefined) return skip('a file system can be mounted by a privileged user only')
    const log = join(disk, 'log')
    const cluster = makeCluster({
      settings: ['max_wal_size=1GB', 'checkpoint_timeout=1h'],
      prepare(data, { uid = 0, gid = 0 }) {
        cpSync(join(data, 'pg_wal'), log, { recursive: true })
        spawnSync('chown', ['-R', `${uid}:${gid}`, disk])
        rmSync(join(data, 'pg_wal'), { recursive: true })
        symlinkSync(log, join(data, 'pg_wal'))
      },
    })
    if (cluster === undefined) throw new Error('PostgreSQL is not installed')
    onTestFinished(() => cluster.remove())
    const at = `postgres://${cluster.user}@localhost/postgres?host=${encodeURIComponent(cluster.directory)}`
    const server = readPostgresUrl(at)
    await untilUp(server)
    const db = connect(server)
    await upgradeSchema(db, '2026-01-01T00:00:00.000Z')

    const fleet = generateFleet({ seed: 'log', projects: 3, endpointsPerProject: 12, clean: false })
    await using service = await startSimulatedService(fleet, { now: () => Date.parse('2026-11-21T03:00:00Z') })
    const projects = Object.fromEntries(fleet.projects().map(({ name, uid }) => [name, uid]))
    const options = { projects, key: fleet.personalKey, limits: { retries: 0 }, concurrency: 1, pageSize: 4 }
    let processes = 0
    const openHistory = () => {
      processes += 1
      const process = { ...new Machines().process(processes), now: Date.now, isAlive: () => false }
      return openPostgresHistory(server, process)
    }
    await using alone = openAuditHarness(options)
    await using onServer = openAuditHarness({ ...options, openHistory })
    const turn = { url: service.url, policy }
    const expectRight = async () => {
      const expected = comparable(await alone.audit(turn))
      expect(comparable(await onServer.audit(turn))).toEqual(expected)
      const { checks } = await verifyDatabase(server, verificationOf('deep'))
      expect(checks.filter(({ ok }) => ok === false)).toEqual([])
    }
    await expectRight()

    const random = createRandom('log')
    for (let edits = 0; edits < 8; edits += 1) editAtRandom(fleet, random)
    await useUpLog(server)
    const filler = join(disk, 'filler')
    fill(filler)
    await expect(onServer.audit(turn)).rejects.toMatchObject({
      exitCode: 4,
      isPassing: true,
      advice: expect.any(String),
      message: expect.stringMatching(/^cannot use the history postgres:\/\//),
    })
    await db.close()
    rmSync(filler)
    await cluster.stop(true)
    await cluster.start()
    await untilUp(server)
    await expectRight()
    const after = connect(server, { connections: 1 })
    const states = await after.all<{ state: string }>('SELECT state FROM hookdrift.run ORDER BY number')
    await after.close()
    expect(states.map(({ state }) => state)).toEqual(['committed', 'interrupted', 'committed'])
  },
)

const segmentBytes = 16 * 1024 * 1024

/** Writes until the log has a few KB left in its last file: a run needs the next one. */
async function useUpLog(server: PostgresServer): Promise<void> {
  const db = connect(server, { connections: 1 })
  const leftSql = `SELECT ${segmentBytes} - (pg_walfile_name_offset(pg_current_wal_insert_lsn())).file_offset AS left`
  const isLastSql = `SELECT max(name) = pg_walfile_name(pg_current_wal_insert_lsn()) FROM pg_ls_waldir()
    WHERE name ~ '^[0-9A-F]{24}$'`
  for (let tries = 0; tries < 10_000; tries += 1) {
    const left = (await db.value<number>(leftSql)) ?? 0
    const isLast = await db.value<boolean>(isLastSql)
    if (isLast === true && left < 24_000) break
    const most = isLast === true ? Math.max(1_000, Math.min(left - 20_000, 4_000_000)) : 4_000_000
    await db.foreign("SELECT pg_logical_emit_message(false, 'x', repeat('x', $1))", [most])
  }
  await db.close()
}

function fill(file: string): void {
  for (let bytes = 8 * 1024 * 1024; bytes >= 1_024; ) {
    try {
      writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' })
    } catch {
      bytes /= 2
    }
  }
}

async function untilUp(server: PostgresServer): Promise<void> {
  const db = connect(server, { connections: 1 })
  try {
    for (let tries = 0; tries < 300; tries += 1) {
      const isUp = await db.value<number>('SELECT 1').catch(() => 0)
      if (isUp === 1) return
      await sleep(100)
    }
    throw new Error('the server does not come up')
  } finally {
    await db.close()
  }
}

/** Runs that were not committed have numbers, too. */
function comparable(report: unknown): unknown {
  return JSON.parse(JSON.stringify(maskedReport(report)).replaceAll(/"number":\d+/g, '"number":0'))
}
