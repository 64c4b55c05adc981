import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { verificationOf, verifyDatabase } from '../../src/app/copy-database.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { createRandom } from '../../src/demo/random.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { connect } from '../../src/history/postgres/connect.ts'
import { upgradeSchema } from '../../src/history/postgres/migrate.ts'
import { openPostgresHistory } from '../../src/history/postgres/postgres-history.ts'
import { type PostgresServer, readPostgresUrl } from '../../src/history/postgres-server.ts'
import { openAuditHarness, policyOf } from '../audit/audit-harness.ts'
import { openCuttingProxy } from '../history/postgres/cutting-proxy.ts'
import { hasPostgres } from '../history/postgres/databases.ts'
import { Machines } from '../history/processes.ts'
import { editAtRandom } from '../oracle/random-edits.ts'
import { type Cluster, makeCluster } from '../start-postgres.ts'
import { openPoolHarness } from './pool-harness.ts'
import { maskedReport } from './worker-processes.ts'

/** What a server says is committed must be there when it comes back, as it is by default. */
const durable = ['synchronous_commit=on']

const policy = policyOf('{"extends":["all"]}')

/** How a run ends that loses its server. */
const lost = {
  exitCode: 4,
  isPassing: true,
  advice: expect.any(String),
  message: expect.stringMatching(/^cannot use the history postgres:\/\//),
}

describe.skipIf(!hasPostgres)('a server that is lost in the midst of a run', { timeout: 170_000 }, () => {
  const clusters: Cluster[] = []
  let primary: Cluster
  let made = 0
  beforeAll(async () => {
    primary = startCluster({ settings: durable })
    await untilUp(serverOf(primary))
  })
  afterAll(async () => {
    for (const cluster of clusters) await cluster.remove()
  })

  function startCluster(options: Parameters<typeof makeCluster>[0]) {
    const cluster = makeCluster(options)
    assert(cluster, 'PostgreSQL is not installed')
    clusters.push(cluster)
    return cluster
  }

  const fleet = () => generateFleet({ seed: `lost/${made}`, projects: 3, endpointsPerProject: 12, clean: false })
  let world: Awaited<ReturnType<typeof openWorld>>
  beforeEach(async () => {
    world = await openWorld()
  })
  afterEach(() => world.close())

  /** A fleet, a history of it on the server, and one in a file to compare with. */
  async function openWorld(cluster = primary) {
    made += 1
    const database = `history_${made}`
    await execute(serverOf(cluster), `CREATE DATABASE ${database}`)
    const proxy = await openCuttingProxy({ ...serverOf(cluster), database })
    const db = connect(proxy.server)
    await upgradeSchema(db, '2026-01-01T00:00:00.000Z')
    await db.close()
    const audited = fleet()
    let onRequest = () => {}
    const service = await startSimulatedService(audited, {
      now: () => Date.parse('2026-11-21T03:00:00Z'),
      latencyMs() {
        onRequest()
        return 5
      },
    })
    const projects = Object.fromEntries(audited.projects().map(({ name, uid }) => [name, uid]))
    const options = { projects, key: audited.personalKey, limits: { retries: 0 }, concurrency: 1, pageSize: 4 }
    const pool = openPoolHarness(proxy.server, { walks: 4 })
    let processes = 0
    /** A process of its own for each audit: those before it have ended. */
    const openHistory = () => {
      processes += 1
      const process = { ...new Machines().process(processes), now: Date.now, isAlive: () => false }
      return openPostgresHistory(proxy.server, process)
    }
    const alone = openAuditHarness(options)
    const onServer = openAuditHarness({ ...options, openHistory })
    const shared = openAuditHarness({ ...options, openHistory: pool.openHistory, conduct: pool.conduct })
    const random = createRandom(`lost/${made}`)
    return {
      proxy,
      pool,
      service,
      alone,
      onServer,
      shared,
      database,
      edit: () => editAtRandom(audited, random),
      /** Calls once, in the midst of the next run. */
      atRequest(number: number, call: () => void) {
        let asked = 0
        onRequest = () => {
          asked += 1
          if (asked === number) call()
        }
      },
      async close() {
        await pool[Symbol.asyncDispose]()
        await proxy.close()
        await service.close()
        for (const harness of [alone, onServer, shared]) await harness[Symbol.asyncDispose]()
      },
    }
  }

  /** Faults of the whole history, by its own checks. */
  async function faultsOf(server: PostgresServer) {
    const { checks } = await verifyDatabase(server, verificationOf('deep'))
    return checks.filter(({ ok }) => ok === false).map(({ id, detail }) => `${id}: ${detail}`)
  }

  async function expectNextRight(harness: typeof world.alone) {
    const turn = { url: world.service.url, policy }
    const expected = comparable(await world.alone.audit(turn))
    expect(comparable(await harness.audit(turn))).toEqual(expected)
    expect(await faultsOf(world.proxy.server)).toEqual([])
  }

  const restarts = { stops: false, crashes: true } as const
  it.each(Object.entries(restarts))(
    'one that %s ends the run with a clear error, and the next is right',
    async (_, crashes) => {
      const { onServer, service, proxy } = world
      await expectNextRight(onServer)
      for (const request of [2, 9, 17]) {
        world.edit()
        let stopping: Promise<void> | undefined
        world.atRequest(request, () => {
          stopping = primary.stop(crashes)
        })
        const error = await onServer.audit({ url: service.url, policy }).catch((thrown) => thrown)
        expect(error).toMatchObject(lost)
        await stopping
        await expect(onServer.audit({ url: service.url, policy })).rejects.toMatchObject({ exitCode: 4 })
        await primary.start()
        await untilUp(proxy.server)
        await expectNextRight(onServer)
      }
    },
  )

  it('one that restarts costs workers time, and no part of the run', async () => {
    const { shared, service, proxy, pool, alone } = world
    const workers = [await pool.startWorker(), await pool.startWorker()]
    await expectNextRight(shared)
    world.edit()
    let restarted: Promise<void> | undefined
    const turn = { url: service.url, policy }
    const expected = comparable(await alone.audit(turn))
    world.atRequest(9, () => {
      restarted = primary.stop(true).then(() => primary.start())
    })
    expect(comparable(await shared.audit(turn))).toEqual(expected)
    expect(restarted).toBeDefined()
    await restarted
    expect(await faultsOf(proxy.server)).toEqual([])
    for (const worker of workers) await worker.stop()
  })

  it('one whose disk is full says so, keeps nothing half, and takes the next run when there is room', async () => {
    const { onServer, service, proxy, database } = world
    await expectNextRight(onServer)
    const db = connect(proxy.server)
    const file = join(primary.data, (await db.value<string>("SELECT pg_relation_filepath('hookdrift.change')")) ?? '')
    expect(await db.value("SELECT pg_relation_size('hookdrift.change')")).toBe(0)
    await db.close()
    // Writes there fail as on a disk without room.
    await primary.stop()
    renameSync(file, `${file}.kept`)
    symlinkSync('/dev/full', file)
    await primary.start()
    await untilUp(proxy.server)
    for (let edits = 0; edits < 8; edits += 1) world.edit()
    await expect(onServer.audit({ url: service.url, policy })).rejects.toMatchObject({
      exitCode: 4,
      isPassing: true,
      advice: 'make room on the server, or raise its limits',
      message: expect.stringMatching(
        new RegExp(`^cannot use the history postgres://.*${database}.*No space left on device`),
      ),
    })
    await primary.stop()
    renameSync(`${file}.kept`, file)
    await primary.start()
    await untilUp(proxy.server)
    await expectNextRight(onServer)
  })

  /** Every commit waits for the standby that it returns from now on. */
  async function followPrimary() {
    const standby = startCluster({ follows: primary, settings: durable })
    await untilUp(serverOf(standby))
    await execute(serverOf(primary), "ALTER SYSTEM SET synchronous_standby_names = '*'")
    await execute(serverOf(primary), 'SELECT pg_reload_conf()')
    return standby
  }

  async function failOver(standby: Cluster) {
    await primary.stop(true)
    await execute(serverOf(standby), 'SELECT pg_promote()')
    world.proxy.leadTo(standby.directory)
    primary = standby
  }

  async function runStates() {
    const db = connect(world.proxy.server, { connections: 1 })
    const runs = await db.all<{ state: string }>('SELECT state FROM hookdrift.run ORDER BY number')
    await db.close()
    return runs.map(({ state }) => state)
  }

  it('one that fails over to a synchronous standby loses no committed run', async () => {
    const { onServer, service } = world
    await expectNextRight(onServer)
    const standby = await followPrimary()
    world.edit()
    await expectNextRight(onServer)
    world.edit()
    let failingOver: Promise<void> | undefined
    world.atRequest(9, () => {
      failingOver = failOver(standby)
    })
    await expect(onServer.audit({ url: service.url, policy })).rejects.toMatchObject({ exitCode: 4, isPassing: true })
    await failingOver
    await expectNextRight(onServer)
    expect(await runStates()).toEqual(['committed', 'committed', 'interrupted', 'committed'])
  })

  it('one that fails over under workers that share a run costs them time, and no part of the run', async () => {
    const { shared, service, proxy, pool, alone } = world
    const workers = [await pool.startWorker(), await pool.startWorker()]
    await expectNextRight(shared)
    const turn = { url: service.url, policy }
    for (const request of [3, 9, 17]) {
      const standby = await followPrimary()
      world.edit()
      const expected = comparable(await alone.audit(turn))
      let failingOver: Promise<void> | undefined
      world.atRequest(request, () => {
        failingOver = failOver(standby)
      })
      expect(comparable(await shared.audit(turn))).toEqual(expected)
      expect(failingOver).toBeDefined()
      await failingOver
      expect(await faultsOf(proxy.server)).toEqual([])
    }
    expect(await runStates()).toEqual(Array(4).fill('committed'))
    for (const worker of workers) await worker.stop()
  })

  it('one without room for its log says so, keeps nothing half, and takes the next run when it is back', async ({
    skip,
  }) => {
    const disk = mountSmallDisk()
    if (disk === undefined) return skip('a file system can be mounted by a privileged user only')
    const cluster = makeCluster({
      settings: ['max_wal_size=1GB', 'checkpoint_timeout=1h'],
      prepare(data, { uid = 0, gid = 0 }) {
        const log = join(disk, 'log')
        cpSync(join(data, 'pg_wal'), log, { recursive: true })
        spawnSync('chown', ['-R', `${uid}:${gid}`, disk])
        rmSync(join(data, 'pg_wal'), { recursive: true })
        symlinkSync(log, join(data, 'pg_wal'))
      },
    })
    assert(cluster, 'PostgreSQL is not installed')
    onTestFinished(() => cluster.remove())
    await untilUp(serverOf(cluster))
    await world.close()
    world = await openWorld(cluster)
    const { onServer, service, proxy } = world
    await expectNextRight(onServer)
    for (let edits = 0; edits < 8; edits += 1) world.edit()
    await useUpLog(proxy.server)
    const filler = join(disk, 'filler')
    fill(filler)
    await expect(onServer.audit({ url: service.url, policy })).rejects.toMatchObject(lost)
    rmSync(filler)
    await cluster.stop(true)
    await cluster.start()
    await untilUp(proxy.server)
    await expectNextRight(onServer)
    expect(await runStates()).toEqual(['committed', 'interrupted', 'committed'])
  })
})

function serverOf({ directory, user }: Cluster) {
  return readPostgresUrl(`postgres://${user}@localhost/postgres?host=${encodeURIComponent(directory)}`)
}

async function execute(server: PostgresServer, sql: string) {
  const db = connect(server, { connections: 1 })
  await db.run(sql).finally(() => db.close())
}

async function untilUp(server: PostgresServer) {
  for (let tries = 0; tries < 300; tries += 1) {
    try {
      return await execute(server, 'SELECT 1')
    } catch {
      await sleep(100)
    }
  }
  throw new Error('the server does not come up')
}

/** Runs that were not committed have numbers, too. A cause has that of its run. */
function comparable(report: unknown): unknown {
  const text = JSON.stringify(maskedReport(report))
  const unnumbered = text.replaceAll(/"(number|first_run|after_run|before_run)":\d+/g, '"$1":0')
  return JSON.parse(unnumbered.replaceAll(/"id":"\d+-([0-9a-f]{8})"/g, '"id":"0-$1"'))
}

/** A small file system in memory, which only a privileged user may mount; undefined for others. */
function mountSmallDisk() {
  const directory = mkdtempSync(join(tmpdir(), 'hookdrift-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=80m', 'tmpfs', directory], { stdio: 'ignore' })
  onTestFinished(() => {
    if (status === 0) spawnSync('umount', ['--lazy', directory], { stdio: 'ignore' })
    rmSync(directory, { recursive: true, force: true })
  })
  return status === 0 ? directory : undefined
}

const segmentBytes = 16 * 1024 * 1024

/** Writes until the log has a few KB left in its last file: a run needs the next one. */
async function useUpLog(server: PostgresServer) {
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

function fill(file: string) {
  for (let bytes = 8 * 1024 * 1024; bytes >= 1_024; ) {
    try {
      writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' })
    } catch {
      bytes /= 2
    }
  }
}
