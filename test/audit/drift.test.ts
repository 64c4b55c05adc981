import { describe, expect, it } from 'vitest'
import {
  changeData,
  changeEndpoint,
  createEndpoint,
  deleteSubscription,
  setEndpointStatus,
  updateSource,
} from '../../src/demo/edits.ts'
import type { ProjectData } from '../../src/demo/rows.ts'
import { around, endpoint, incoming, intake, outgoing } from './drift-fixture.ts'
import { at, coverageLines, driftLines, openFleetFixture, sizeOf } from './fleet-fixture.ts'

describe('a run without changes', () => {
  it('writes only its own rows, and few bytes', async () => {
    await using fixture = await openFleetFixture({
      fleet: { projects: 3, incomingEvery: 3, clean: false, endpointsPerProject: 60 },
    })
    await fixture.audit()
    const [counts, bytes] = [fixture.rowCounts(), sizeOf(fixture.harness.file)]
    const runs = 4
    for (let run = 2; run <= 1 + runs; run++) {
      const { drift, notices } = await fixture.audit()
      expect({ drift, notices }).toEqual({ drift: [], notices: [] })
      expect(fixture.rowCounts()).toEqual({ ...counts, run, walk: counts.walk * run })
    }
    // A kilobyte a walk, with the shape that it saw.
    expect(sizeOf(fixture.harness.file) - bytes).toBeLessThanOrEqual(runs * counts.walk * 1024)
  })

  it('reports no drift for resources of a first scan', async () => {
    await using fixture = await openFleetFixture(incoming)
    expect((await fixture.audit()).drift).toEqual([])
  })

  it('reports no drift for a listing that is walked for the first time', async () => {
    await using fixture = await openFleetFixture({
      ...incoming,
      harness: { listings: { sources: 'off', project: 'off' } },
    })
    await fixture.audit()
    const report = await fixture.audit({ listings: { sources: 'auto', project: 'auto' } })
    expect(coverageLines(report)).toEqual([
      'partner-intake/project complete',
      'partner-intake/endpoints complete',
      'partner-intake/sources complete',
      'partner-intake/subscriptions complete',
    ])
    expect(report.drift).toEqual([])
  })

  it('shows the same drift with pages of 1, 3 and 1000 items', async () => {
    const drifts = []
    for (const pageSize of [1, 3, 1000]) {
      await using fixture = await openFleetFixture({ ...incoming, harness: { pageSize } })
      const { drift } = await around(fixture, () => {
        const { sources, endpoints } = fixture.dataOf(intake)
        const project = fixture.uidOf(intake)
        updateSource(fixture.fleet, { project, uid: at(sources, 1).uid }, { is_disabled: true })
        changeEndpoint(fixture.fleet, { project, uid: at(endpoints, 4).uid }, (row) => ({ ...row, http_timeout: 59 }))
      })
      drifts.push(drift)
    }
    expect(drifts[0]).toHaveLength(2)
    expect(drifts[1]).toEqual(drifts[0])
    expect(drifts[2]).toEqual(drifts[0])
  })
})

describe('an endpoint that comes and goes', () => {
  it('is reported as added, then as removed', async () => {
    await using fixture = await openFleetFixture(outgoing)
    const project = fixture.uidOf('payments')
    const { uid: gone } = at(fixture.dataOf('payments').subscriptions, 2)
    let added = ''
    const report = await around(fixture, () => {
      added = createEndpoint(fixture.fleet, project, { name: 'new', url: 'https://new.example/in' })
      deleteSubscription(fixture.fleet, { project, uid: gone })
    })
    expect(driftLines(report)).toEqual([`added endpoint ${added}`, `removed subscription ${gone}`])
    expect((await fixture.audit()).drift).toEqual([])
    expect(fixture.query('SELECT change FROM drift WHERE run = 2 ORDER BY change')).toEqual([
      { change: 'added' },
      { change: 'removed' },
    ])
  })

  it('is reported as added again under its old uid', async () => {
    await using fixture = await openFleetFixture(outgoing)
    const data = fixture.dataOf('payments')
    const [row] = data.subscriptions
    const change = (subscriptions: ProjectData['subscriptions']) =>
      changeData(fixture.fleet, fixture.uidOf('payments'), (now) => ({ ...now, subscriptions }))
    const gone = await around(fixture, () => change(data.subscriptions.slice(1)))
    change(data.subscriptions)
    const back = await fixture.audit()
    expect([driftLines(gone), driftLines(back)]).toEqual([
      [`removed subscription ${row?.uid}`],
      [`added subscription ${row?.uid}`],
    ])
  })

  it('leaves no trace when both happen between two complete scans', async () => {
    await using fixture = await openFleetFixture({ ...outgoing, harness: { pageSize: 2, limits: { retries: 0 } } })
    await fixture.audit()
    const uid = createEndpoint(fixture.fleet, fixture.uidOf('payments'), {
      name: 'fleeting',
      url: 'https://f.example/in',
    })
    fixture.service.failNext({ path: /\/endpoints/, page: 3, how: 'reset' })
    const broken = await fixture.audit()
    changeData(fixture.fleet, fixture.uidOf('payments'), (data) => ({
      ...data,
      endpoints: data.endpoints.filter((row) => row.uid !== uid),
    }))
    const after = await fixture.audit()
    expect(driftLines(broken)).toEqual([`added endpoint ${uid}`])
    expect(after.drift).toEqual([])
    expect(fixture.query('SELECT 1 FROM current_resource WHERE uid = ?', uid)).toEqual([])
  })

  it('leaves no trace when a change was undone before the next complete scan', async () => {
    await using fixture = await openFleetFixture({ ...outgoing, harness: { pageSize: 2, limits: { retries: 0 } } })
    await fixture.audit()
    setEndpointStatus(fixture.fleet, endpoint(fixture, 0), 'paused')
    fixture.service.failNext({ path: /\/endpoints/, page: 3, how: 'reset' })
    const broken = await fixture.audit()
    setEndpointStatus(fixture.fleet, endpoint(fixture, 0), 'active')
    const after = await fixture.audit()
    expect(driftLines(broken)).toEqual([expect.stringMatching(/ \/status "active" -> "paused"$/)])
    expect(after.drift).toEqual([])
  })
})

describe('a run over some of the projects', () => {
  it('reports nothing about the others and resolves no violation across the fleet', async () => {
    await using fixture = await openFleetFixture({ fleet: { projects: 2, endpointsPerProject: 4 } })
    const value = 'whsec_not-a-real-key-in-two-places'
    for (const name of ['payments', 'orders']) {
      const { uid } = at(fixture.dataOf(name).endpoints, 0)
      changeEndpoint(fixture.fleet, { project: fixture.uidOf(name), uid }, (row) => ({
        ...row,
        secrets: (row.secrets ?? []).map((secret) => ({ ...secret, value })),
      }))
    }
    const whole = await fixture.audit()
    const rows = fixture.rowCounts()
    const { uid } = at(fixture.dataOf('orders').endpoints, 1)
    setEndpointStatus(fixture.fleet, { project: fixture.uidOf('orders'), uid }, 'inactive')
    const part = await fixture.audit({ only: ['acme/payments'] })

    expect(whole.violations.map(({ project, rule, state }) => `${project} ${rule} ${state}`)).toEqual([
      'acme/orders endpoint/secret-shared opened',
      'acme/payments endpoint/secret-shared opened',
    ])
    expect(part.coverage.map(({ project }) => project)).toEqual(part.coverage.map(() => 'acme/payments'))
    expect(part.violations.map(({ project, rule, state }) => `${project} ${rule} ${state}`)).toEqual([
      'acme/payments endpoint/secret-shared unknown',
    ])
    expect(part.drift).toEqual([])
    expect(fixture.rowCounts()).toMatchObject({ version: rows.version, violation: rows.violation + 1 })

    const again = await fixture.audit()
    expect(driftLines(again)).toEqual([expect.stringContaining(`modified endpoint ${uid} /status`)])
    expect(again.violations.filter(({ rule }) => rule === 'endpoint/secret-shared').map(({ state }) => state)).toEqual([
      'continuing',
      'continuing',
    ])
  })
})
