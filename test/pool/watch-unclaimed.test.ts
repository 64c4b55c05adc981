import { beforeEach, describe, expect, it } from 'vitest'
import { unclaimedServices } from '../../src/app/pool/tasks.ts'
import { openFleetFixture } from '../audit/fleet-fixture.ts'
import { hasPostgres, openDatabaseFixture } from '../history/postgres/databases.ts'
import { openPoolHarness } from './pool-harness.ts'

describe.skipIf(!hasPostgres)('a service of which no worker takes projects', () => {
  const fixture = openDatabaseFixture()
  beforeEach(async () => {
    const { db } = fixture
    await db.run(
      `INSERT INTO hookdrift.worker (id, host, pid, slots, seen_at)
       SELECT id, 'host', 1, 2, 'infinity' FROM unnest(ARRAY['w1', 'w2']) AS id`,
    )
    await db.run("INSERT INTO hookdrift.run_plan (id, request, asked_at) VALUES ('asked', '{}', now())")
    await db.run(
      `INSERT INTO hookdrift.run (number, state, started_at, fail_on, tool_version, policy_digest, configuration_digest,
         seal_key_id, normal_form_version, version_floor, violation_floor)
       VALUES (1, 'running', '', '', '', '', '', '', 1, 0, 0)`,
    )
    for (const [id, service] of ['east', 'east', 'west', 'west'].entries()) {
      await db.run('INSERT INTO hookdrift.project (id, service, uid) VALUES ($1::bigint, $2, $1::bigint::text)', [
        id,
        service,
      ])
      await db.run(
        `INSERT INTO hookdrift.task (run, project_id, service, place, project, state, since)
         VALUES (1, $1::int, $2, $1::int, '{"ref":{"name":"p"}}', 'planned', clock_timestamp())`,
        [id, service],
      )
    }
  })
  const change = (id: number, changes: string) =>
    fixture.db.run(`UPDATE hookdrift.task SET since = clock_timestamp(), ${changes} WHERE project_id = $1`, [id])
  const take = (id: number, worker = 'w1') => change(id, `state = 'running', token = token + 1, worker = '${worker}'`)

  /** What is found after so many seconds more. */
  async function after(seconds: number) {
    await fixture.db.run('UPDATE hookdrift.task SET since = since - make_interval(secs => $1)', [seconds])
    return unclaimedServices(fixture.db, 1, 120_000)
  }

  it('is found when all workers were idle for two minutes', async () => {
    await take(0)
    expect(await after(110)).toEqual([])
    expect(await after(20)).toEqual(['west'])
  })

  it('is not found while a worker is busy with others, which may be the one that takes it', async () => {
    await take(0)
    await take(1)
    expect(await after(300)).toEqual([])
    // From then on, it is idle.
    await change(1, "state = 'done'")
    expect(await after(110)).toEqual([])
    expect(await after(20)).toEqual(['west'])
  })

  it('is none of which a project was begun, regardless of what became of it', async () => {
    await take(0)
    await take(2, 'w2')
    await change(2, "state = 'planned', worker = NULL")
    expect(await after(300)).toEqual([])
  })

  it('is given up with a reason, and nothing of it is gone', async () => {
    await fixture.db.run(
      'TRUNCATE hookdrift.task, hookdrift.worker, hookdrift.run_plan, hookdrift.run, hookdrift.project CASCADE',
    )
    await using pool = openPoolHarness(fixture.place.server, { unclaimedAfterMs: 4_000 })
    const { openHistory, conduct } = pool
    const fleet = { clean: false, seed: 'unclaimed', projects: 2, endpointsPerProject: 3 }
    await using audited = await openFleetFixture({ fleet, harness: { openHistory, conduct } })
    const taking = await pool.startWorker()
    await audited.audit()
    await taking.stop()
    const leaving = await pool.startWorker({ services: ['other'] })
    const report = await audited.audit()
    await leaving.stop()
    const why = 'no worker takes projects of acme: none has it under worker.services and the files of this run'
    expect(new Set(report.coverage.map(({ cause }) => cause))).toEqual(new Set(['stopped']))
    for (const { status, reason } of report.coverage) {
      expect(status).not.toBe('complete')
      expect(reason).toContain(why)
    }
    expect(report.drift).toEqual([])
    expect(pool.unclaimed).toEqual([['acme', why]])
  })
})
