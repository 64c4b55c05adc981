import { describe, expect, it } from 'vitest'
import type { Log } from '../../src/app/log.ts'
import { openJobs } from '../../src/app/pool/jobs.ts'
import { openDrafts, openSharedGates } from '../../src/app/pool/open-pool.ts'
import { type RunRequest, readRequestedRun, requestRun, takeTick, writePlan } from '../../src/app/pool/runs.ts'
import type { ProcessContext } from '../../src/app/process-context.ts'
import { coordinateNext } from '../../src/app/shared/coordinate-run.ts'
import { openSealer, openSharedFiles } from '../../src/app/shared/shared-files.ts'
import { systemClock } from '../../src/app/system.ts'
import { AuditError } from '../../src/model/errors.ts'
import { toolVersion } from '../../src/model/package-files.ts'
import { unknownScope } from '../../src/model/run-scope.ts'
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
  async function coordinate({ failsForS = 0, db = fixture.db, hasBegun = false }) {
    const configuration = configure(withService({}, { history: '/proc/nowhere/h.db', seal_key: 'k'.repeat(32) }))
    const policy = policyOf('extends: []')
    const jobs = await openJobs(db, () => {}, { supervises: false })
    const owner = { host: 'h', bootId: 'b', pid: 1, isAlive: () => true, now: () => Date.now(), every: () => () => {} }
    const pool = { db, jobs, drafts: openDrafts(db, owner), gates: openSharedGates(db, systemClock), async close() {} }
    const failed: unknown[] = []
    const thrown: unknown[] = []
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
      await requestRun(fixture.db, request, 'asked')
      await fixture.db.run(
        'UPDATE hookdrift.run_plan SET fails_since = clock_timestamp() - make_interval(secs => $1)',
        [failsForS],
      )
      if (hasBegun) {
        const lost = await pool.drafts.begin({ ...aStart(), ...request, toolVersion: toolVersion() })
        const plan = { lists: [], isWholeFleet: true, areAll: true, scope: unknownScope }
        await writePlan(db, 'asked', { run: lost.run, plan, runTimeoutMs: 60_000 })
        await lost.release()
      }
      const nothing = () => {}
      await coordinateNext({
        terminal,
        log: { debug: nothing, info: nothing, warn: nothing, error: nothing } as unknown as Log, // What it uses here.
        pool,
        files: openSharedFiles({ configuration, policy }, async (before) => before),
        worker: 'worker',
        signal: new AbortController().signal,
        watch: {
          refused: nothing,
          started: nothing,
          ended: nothing,
          failed: (_, error) => void failed.push(error),
          coordinating: nothing,
        },
      }).catch((error: unknown) => void thrown.push(error))
      return {
        requested: await readRequestedRun(fixture.db, 'asked'),
        failed,
        thrown,
        isFree: await takeTick(fixture.db, { schedule: 'nightly', dueAt: 1_000 }, request),
      }
    } finally {
      await jobs.close()
    }
  }

  it('is tried again for some minutes', async () => {
    const { requested, failed } = await coordinate({ failsForS: 60 })
    expect({ hasEnded: requested?.hasEnded, failed }).toEqual({ hasEnded: false, failed: [] })
  })

  it('stays the only one of its schedule where a server that was away did not say whose it is', async () => {
    const away = AuditError.failure('the server is away', { advice: '', isPassing: true })
    const db: typeof fixture.db = { ...fixture.db, all: () => Promise.reject(away) }
    expect(await coordinate({ db })).toMatchObject({
      requested: { hasEnded: false },
      thrown: [away],
      isFree: 'running',
    })
  })

  it('then ends with that error, so that people hear of it and the next tick has its run', async () => {
    const { requested, failed } = await coordinate({ failsForS: 600 })
    expect(requested).toMatchObject({ hasEnded: true, error: { kind: 'failure' } })
    expect(failed).toEqual([expect.objectContaining({ kind: 'failure' })])
  })

  it('is closed with it, so that no run is left that no one writes', async () => {
    const { requested } = await coordinate({ failsForS: 600, hasBegun: true })
    expect(requested).toMatchObject({ hasEnded: true, error: { kind: 'failure' }, run: 1, state: 'interrupted' })
  })
})
