import { describe, expect, it } from 'vitest'
import type { AuditedProject } from '../../src/audit/project-scan.ts'
import { changeEndpoint } from '../../src/demo/edits.ts'
import type { Report } from '../../src/model/report.ts'
import { createServiceClient } from '../../src/service/create-service-client.ts'
import { defaultDialect } from '../../src/service/dialect.ts'
import { defaultLimits } from '../../src/service/settings.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at, openFleetFixture } from '../audit/fleet-fixture.ts'
import { hasPostgres } from '../history/postgres/databases.ts'
import { openPoolHarness, realClock } from './pool-harness.ts'

const policy = policyOf('extends: [all]')
const harness = { pageSize: 5, limits: { retries: 0 }, labels: { env: 'test' } }
const fleet = { clean: false, projects: 4, incomingEvery: 3, endpointsPerProject: 12, baseTime: '2026-11-20T00:00:00Z' }

/** What depends on where and how fast a run was audited. */
function comparable(report: Report): unknown {
  const text = JSON.stringify({ ...report, digests: { ...report.digests, chain: null } })
  return JSON.parse(
    text.replaceAll(/demo\/simulated-\d{6}/g, 'the answer').replaceAll(/"duration_ms":\d+/g, '"duration_ms":0'),
  )
}

describe.skipIf(!hasPostgres)('a run of several workers', () => {
  it('reports what one process reports, over several runs', async () => {
    await using fixture = await openFleetFixture({ fleet, harness })
    await using pool = await openPoolHarness()
    const client = createServiceClient(
      {
        name: 'acme',
        url: fixture.service.url,
        pageSize: 5,
        limits: { ...defaultLimits, retries: 0 },
        dialect: defaultDialect,
        ca: undefined,
        connections: 8,
      },
      { clock: realClock, random: () => 0.5, env: {} },
    )
    const projects = fixture.fleet.projects().map(
      ({ name, uid }): AuditedProject => ({
        ...{ ref: { name: `acme/${name}`, service: 'acme', uid }, key: fixture.fleet.personalKey, configuredAt: null },
        ...{ labels: { env: 'test' }, filters: {}, client, listings: { sources: 'auto', project: 'auto' } },
      }),
    )
    const stops = [await pool.startWorker(), await pool.startWorker(), await pool.startWorker()]
    for (const turn of [1, 2, 3]) {
      const expected = await fixture.audit({ policy })
      const now = Date.parse(expected.run.started_at)
      const report = await pool.audit({
        projects,
        policy,
        now,
        isWholeFleet: true,
        failOn: 'medium',
        acceptsRemovals: false,
      })
      expect(comparable(report)).toEqual(comparable(expected))
      expect(report.run.number).toBe(turn)
      const project = at(fixture.fleet.projects(), 0).uid
      const uid = at(fixture.fleet.open(project).endpoints, turn).uid
      changeEndpoint(fixture.fleet, { project, uid }, (row) => ({ ...row, url: 'http://plain.example.com/' }))
    }
    for (const stop of stops) await stop()
    await client.close()
    expect(pool.faults).toEqual([])
    expect(new Set(pool.events.map((event) => event.split(' ').at(-1)))).toEqual(new Set(['walked']))
    expect(pool.events).toHaveLength(12)
  })
})
