import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { AuditError } from '../../src/model/errors.ts'
import { openFleetFixture } from '../audit/fleet-fixture.ts'
import { hasPostgres, openDatabaseFixture } from '../history/postgres/databases.ts'
import { openPoolHarness } from './pool-harness.ts'

describe.skipIf(!hasPostgres)('projects of a run that were given up', () => {
  const fixture = openDatabaseFixture()

  /** The coverage of a run that no worker takes part in, and whose first coordinator is lost before it commits. */
  async function coverageAfterLoss({ unclaimedAfterMs = 60_000, meanwhile = async () => {} }) {
    await using pool = openPoolHarness(fixture.place.server, { unclaimedAfterMs })
    const { openHistory } = pool
    let losses = 0
    const conduct: typeof pool.conduct = (audit, dependencies) =>
      pool.conduct(audit, {
        ...dependencies,
        composeNotifications() {
          losses += 1
          if (losses === 1) throw AuditError.failure('the server is away')
          return []
        },
      })
    const fleet = { seed: 'given-up', projects: 2, endpointsPerProject: 3 }
    await using audited = await openFleetFixture({ fleet, harness: { openHistory, conduct } })
    const leaving = await pool.startWorker({ services: ['other'] })
    const asked = audited.audit()
    await meanwhile()
    const { coverage } = await asked
    await leaving.stop()
    expect(losses).toBe(2)
    return coverage
  }

  it('keep their reason when the coordinator is lost: a signal', async () => {
    const coverage = await coverageAfterLoss({
      async meanwhile() {
        const stop = "UPDATE hookdrift.run_plan SET stopped_by = 'sigterm' WHERE run IS NOT NULL"
        while ((await fixture.db.run(stop)) === 0) await sleep(50)
      },
    })
    expect(new Set(coverage.map(({ cause }) => cause))).toEqual(new Set(['sigterm']))
  })

  it('keep their reason when the coordinator is lost: no worker took them', async () => {
    const coverage = await coverageAfterLoss({ unclaimedAfterMs: 1_000 })
    for (const { reason } of coverage) expect(reason).toContain('no worker takes projects of acme')
  })
})
