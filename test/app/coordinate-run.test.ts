import { describe, expect, it } from 'vitest'
import type { Log } from '../../src/app/log.ts'
import type { ProcessContext } from '../../src/app/process-context.ts'
import { coordinateRun } from '../../src/app/shared/coordinate-run.ts'
import { openSealer, openSharedFiles } from '../../src/app/shared/shared-files.ts'
import { systemClock } from '../../src/app/system.ts'
import { AuditError } from '../../src/model/errors.ts'
import { toolVersion } from '../../src/model/package-files.ts'
import { unknownScope } from '../../src/model/run-scope.ts'
import { openJobs, runQueue } from '../../src/pool/jobs.ts'
import { openDrafts, openSharedGates } from '../../src/pool/open-pool.ts'
import { type RunKey, type RunRequest, readRequestedRun, requestRun, writePlan } from '../../src/pool/runs.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { configure, withService } from '../config/config-fixture.ts'
import { hasPostgres, openDatabaseFixture } from '../history/postgres/databases.ts'
import { aStart } from '../history/samples.ts'

const terminal = { env: {}, stderr: { write: () => true }, cwd: () => '/' } as unknown as ProcessContext // What it uses here.

describe.skipIf(!hasPostgres)('a run that an error of the history ends each time', () => {
  const fixture = openDatabaseFixture()

  /**
   * Coordinates a run whose history cannot be opened, and returns what became of its request, and whether its schedule may
   * ask for another one.
   */
  async function coordinate(more: Partial<RunKey>, { db = fixture.db, hasBegun = false } = {}) {
    const configuration = configure(withService({}, { history: '/proc/nowhere/h.db', seal_key: 'k'.repeat(32) }))
    const policy = policyOf('extends: []')
    const jobs = await openJobs(db, () => {}, { supervises: false })
    const owner = { host: 'h', bootId: 'b', pid: 1, isAlive: () => true, now: () => Date.now(), every: () => () => {} }
    const pool = { db, jobs, drafts: openDrafts(db, owner), gates: openSharedGates(db, systemClock), async close() {} }
    const failed: unknown[] = []
    try {
      const request: RunRequest = {
        schedule: 'nightly',
        configurationDigest: configuration.digest,
        policyDigest: policy.digest,
        sealKeyId: openSealer({ configuration }, terminal).keyId,
        only: [],
        failOn: 'medium',
        runsProbes: true,
        acceptsRemovals: false,
        notifies: true,
        runTimeoutMs: 60_000,
      }
      await requestRun(pool, request, 'asked')
      if (hasBegun) {
        const lost = await pool.drafts.begin({ ...aStart(), ...request, toolVersion: toolVersion() })
        const options = { runsProbes: false, acceptsRemovals: false, runTimeoutMs: 60_000 }
        const plan = { lists: [], isWholeFleet: true, areAll: true, scope: unknownScope }
        await writePlan(db, 'asked', { run: lost.run, plan, options })
        await lost.release()
      }
      const [job] = await jobs.fetch<RunKey>(runQueue, { most: 1, cap: 1 })
      if (job === undefined) throw new Error('the job of the run is not there')
      const nothing = () => {}
      await coordinateRun(
        { ...job, data: { ...job.data, ...more } },
        {
          terminal,
          log: { debug: nothing, info: nothing, warn: nothing, error: nothing } as unknown as Log, // What it uses here.
          pool,
          files: openSharedFiles({ configuration, policy }, async (before) => before),
          signal: new AbortController().signal,
          watch: { started: nothing, begun: nothing, ended: nothing, failed: (_, error) => void failed.push(error) },
          onLeft: nothing,
        },
      )
      return { requested: await readRequestedRun(db, 'asked'), failed, isFree: await requestRun(pool, request, 'next') }
    } finally {
      await jobs.close()
    }
  }

  it('is tried again for some minutes', async () => {
    const { requested, failed } = await coordinate({ failsSince: Date.now() - 60_000 })
    expect({ hasEnded: requested?.hasEnded, failed }).toEqual({ hasEnded: false, failed: [] })
  })

  it('stays the only one of its schedule where a server that was away did not say whose it is', async () => {
    const { db } = fixture
    let asked = 0
    const away: typeof db = {
      ...db,
      get: async (sql, values) => {
        asked += 1
        if (asked === 1) throw AuditError.failure('the server is away', { advice: '', isPassing: true })
        return db.get(sql, values)
      },
    }
    expect(await coordinate({}, { db: away })).toMatchObject({ requested: { hasEnded: false }, isFree: false })
  })

  it('then ends with that error, so that people hear of it and the next tick has its run', async () => {
    const { requested, failed } = await coordinate({ failsSince: Date.now() - 600_000 })
    expect(requested).toMatchObject({ hasEnded: true, error: { kind: 'failure' } })
    expect(failed).toEqual([expect.objectContaining({ kind: 'failure' })])
  })

  it('is closed with it, so that no run is left that no one writes', async () => {
    const { requested } = await coordinate({ failsSince: Date.now() - 600_000 }, { hasBegun: true })
    expect(requested).toMatchObject({ hasEnded: true, error: { kind: 'failure' }, run: 1, state: 'interrupted' })
  })
})
