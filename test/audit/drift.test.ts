import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SimulatedRelease } from '../../src/demo/behaviour.ts'
import {
  changeData,
  changeEndpoint,
  createEndpoint,
  deleteSubscription,
  rotateSecret,
  setEndpointStatus,
  updateProject,
  updateSource,
  updateSubscription,
} from '../../src/demo/edits.ts'
import type { EndpointRow, ProjectData } from '../../src/demo/rows.ts'
import type { Report } from '../../src/model/report.ts'
import { around, changeIntake, incoming, intake, outgoing } from './drift-fixture.ts'
import {
  at,
  coverageLines,
  driftLines,
  type FleetFixture,
  openFleetFixture,
  pagesOfTwo,
  sizeOf,
} from './fleet-fixture.ts'

describe('a run without changes', () => {
  it('writes only its own rows, and few bytes', async () => {
    await using fixture = await openFleetFixture({
      fleet: { projects: 3, incomingEvery: 3, clean: false, endpointsPerProject: 20 },
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
    await using fixture = await openFleetFixture({ ...outgoing, ...pagesOfTwo })
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
    await using fixture = await openFleetFixture({ ...outgoing, ...pagesOfTwo })
    await fixture.audit()
    setEndpointStatus(fixture.fleet, fixture.endpointAt(), 'paused')
    fixture.service.failNext({ path: /\/endpoints/, page: 3, how: 'reset' })
    const broken = await fixture.audit()
    setEndpointStatus(fixture.fleet, fixture.endpointAt(), 'active')
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

describe('one changed field', () => {
  const edits: readonly [string, Partial<EndpointRow>, string, unknown, unknown][] = [
    ['name', { name: 'renamed' }, '/name', expect.any(String), 'renamed'],
    ['url', { url: 'https://b.example/in' }, '/url', expect.any(String), 'https://b.example/in'],
    ['status', { status: 'paused' }, '/status', 'active', 'paused'],
    ['owner_id', { owner_id: '' }, '/owner_id', expect.any(String), null],
    ['timeout', { http_timeout: 61 }, '/http_timeout', expect.any(Number), 61],
    ['rate limit', { rate_limit: 0 }, '/rate_limit', expect.any(Number), 0],
    ['description', { description: '' }, '/description', expect.any(String), null],
    ['signatures', { advanced_signatures: false }, '/advanced_signatures', true, false],
    ['authentication', { authentication: null }, '/authentication', expect.any(Object), null],
    ['a contact', { support_email: 'x@a.example' }, '/support_email', expect.any(String), 'x@a.example'],
  ]
  let shared: FleetFixture
  beforeAll(async () => {
    shared = await openFleetFixture(outgoing)
    await shared.audit()
  })
  afterAll(() => shared[Symbol.asyncDispose]())

  it.each(edits)('of an endpoint is reported by its pointer: %s', async (_, change, path, before, after) => {
    const uid = shared.set(change, 2)
    const { name } = shared.endpointAt(2).row
    const { drift, run } = await shared.audit()
    expect(drift).toEqual([
      {
        project: 'acme/payments',
        kind: 'endpoint',
        uid,
        name,
        change: 'modified',
        fields: [{ path, before, after }],
        between: {
          after: expect.any(String),
          before: run.finished_at,
          after_run: run.number - 1,
          before_run: run.number,
        },
        window: null,
        repairs: [],
        notes: [],
      },
    ])
  })

  it('of a subscription is reported by its pointer', async () => {
    await using fixture = await openFleetFixture(outgoing)
    const { uid, filter_config } = at(fixture.dataOf('payments').subscriptions, 1)
    const { drift } = await around(fixture, () =>
      updateSubscription(
        fixture.fleet,
        { project: fixture.uidOf('payments'), uid },
        { filter_config: { ...filter_config, event_types: ['*'] }, delivery_mode: 'at_most_once' },
      ),
    )
    expect(drift).toMatchObject([
      {
        kind: 'subscription',
        uid,
        fields: [
          { path: '/delivery_mode', before: 'at_least_once', after: 'at_most_once' },
          { path: '/filter_config/event_types', before: [...filter_config.event_types].sort(), after: ['*'] },
        ],
      },
    ])
  })

  it('of a subscription that moves to another endpoint is its reference', async () => {
    await using fixture = await openFleetFixture(outgoing)
    const { uid, endpoint_id } = at(fixture.dataOf('payments').subscriptions, 1)
    const { uid: other } = fixture.endpointAt()
    const { drift } = await around(fixture, () =>
      updateSubscription(fixture.fleet, { project: fixture.uidOf('payments'), uid }, { endpoint_id: other }),
    )
    expect(drift.map(({ fields }) => fields)).toEqual([[{ path: '/endpoint_uid', before: endpoint_id, after: other }]])
  })

  it.each(['auto', 'off'] as const)('of a source is one change with its referrers, sources %s', async (sources) => {
    await using fixture = await openFleetFixture({ ...incoming, harness: { listings: { sources }, pageSize: 2 } })
    const [{ uid, name }] = [at(fixture.dataOf(intake).sources, 0)]
    const { drift, run } = await around(fixture, () =>
      updateSource(fixture.fleet, { project: fixture.uidOf(intake), uid }, { is_disabled: true }),
    )
    const referrers = fixture.dataOf(intake).subscriptions.filter(({ source_id }) => source_id === uid)
    expect(referrers).toHaveLength(2)
    expect(drift).toEqual([
      {
        project: 'acme/partner-intake',
        kind: 'source',
        uid,
        name,
        change: 'modified',
        fields: [{ path: '/is_disabled', before: false, after: true }],
        referrers: referrers.map(({ uid }) => uid).sort(),
        between: {
          after: expect.any(String),
          before: run.finished_at,
          after_run: run.number - 1,
          before_run: run.number,
        },
        window: null,
        repairs: [],
        notes: [],
      },
    ])
  })

  it('of a project is reported by its pointer', async () => {
    await using fixture = await openFleetFixture(outgoing)
    const { drift } = await around(fixture, () =>
      updateProject(fixture.fleet, fixture.uidOf('payments'), {
        strategy: { type: 'linear', duration: 1, retry_count: 8 },
        ssl: { enforce_secure_endpoints: false },
      }),
    )
    expect(drift).toMatchObject([
      {
        kind: 'project',
        fields: [
          { path: '/config/ssl/enforce_secure_endpoints', before: true, after: false },
          { path: '/config/strategy/duration', before: 30, after: 1 },
          { path: '/config/strategy/type', before: 'exponential', after: 'linear' },
        ],
      },
    ])
  })
})

describe('secrets', () => {
  it('are compared one by one: rotated, replaced, removed', async () => {
    await using fixture = await openFleetFixture(outgoing)
    const secret = () => at(fixture.endpointAt().row.secrets ?? [], 0)
    const rotated = await around(fixture, () => rotateSecret(fixture.fleet, fixture.endpointAt()))
    const [old, fresh] = fixture.endpointAt().row.secrets ?? []
    expect(driftLines(rotated)).toEqual([
      expect.stringContaining(`/secrets/${old?.uid}/expires_at null -> "`),
      expect.stringMatching(new RegExp(`/secrets/${fresh?.uid} null -> \\{.*"value":"sealed:[0-9a-f]{32}"\\}$`)),
    ])

    fixture.set({ secrets: (fixture.endpointAt().row.secrets ?? []).slice(1) })
    const removed = await fixture.audit()
    expect(driftLines(removed)).toEqual([expect.stringMatching(new RegExp(`/secrets/${old?.uid} \\{.*\\} -> null$`))])

    const { uid } = secret()
    fixture.set({ secrets: [{ ...secret(), value: 'whsec_not-a-real-key-another' }] })
    const replaced = await fixture.audit()
    expect(replaced.drift.map(({ fields }) => fields)).toEqual([
      [
        {
          path: `/secrets/${uid}/value`,
          before: expect.stringMatching(/^sealed:[0-9a-f]{32}$/),
          after: expect.stringMatching(/^sealed:[0-9a-f]{32}$/),
        },
      ],
    ])
  })

  it('sealed under another installation key cause one notice and no drift; later rotations are reported again', async () => {
    await using fixture = await openFleetFixture({
      fleet: { incomingEvery: 1, endpointsPerProject: 4, sourcesPerProject: 2 },
    })
    await fixture.audit()
    const rebased = await fixture.audit({ installationKey: 2 })
    expect(rebased.drift).toEqual([])
    expect(rebased.notices.map(({ text }) => text)).toEqual([expect.stringMatching(/^the installation key changed: /)])
    const calm = await fixture.audit({ installationKey: 2 })
    expect({ drift: calm.drift, notices: calm.notices }).toEqual({ drift: [], notices: [] })

    const { uid } = at(fixture.dataOf(intake).endpoints, 1)
    changeEndpoint(fixture.fleet, { project: fixture.uidOf(intake), uid }, (row) => ({
      ...row,
      secrets: (row.secrets ?? []).map((secret) => ({ ...secret, value: 'whsec_not-a-real-key-another' })),
    }))
    const after = await fixture.audit({ installationKey: 2 })
    expect(driftLines(after)).toEqual([
      expect.stringMatching(new RegExp(`^modified endpoint ${uid} /secrets/[0-9A-Z]+/value "sealed:`)),
    ])
    expect(after.notices).toEqual([])
  })

  it('are the only thing that a new installation key hides: other edits are reported as drift', async () => {
    await using fixture = await openFleetFixture(outgoing)
    await fixture.audit()
    fixture.set({ http_timeout: 61 })
    const report = await fixture.audit({ installationKey: 2 })
    expect(driftLines(report)).toEqual([expect.stringMatching(/ \/http_timeout \d+ -> 61$/)])
  })
})

describe('a run reports no drift', () => {
  it('for another spelling of an empty value', async () => {
    await using fixture = await openFleetFixture(outgoing)
    fixture.set({ secrets: [] })
    expect((await around(fixture, () => fixture.set({ secrets: null }))).drift).toEqual([])
  })

  it('for releases older, seed, later and seed again, with one notice for each project and upgrade', async () => {
    await using fixture = await openFleetFixture({ fleet: { projects: 3, incomingEvery: 3, endpointsPerProject: 8 } })
    const releases: SimulatedRelease[] = ['older', 'seed', 'later', 'seed', 'seed']
    const seen = []
    for (const release of releases) {
      fixture.service.behaviour.release = release
      const { drift, notices, verdict } = await fixture.audit()
      seen.push({ release, drift, notices: notices.map(({ project }) => project), exit: verdict.exit_code })
    }
    const all = ['acme/orders', 'acme/partner-intake', 'acme/payments']
    expect(seen).toEqual([
      { release: 'older', drift: [], notices: [], exit: 0 },
      { release: 'seed', drift: [], notices: all, exit: 0 },
      { release: 'later', drift: [], notices: all, exit: 0 },
      { release: 'seed', drift: [], notices: all, exit: 0 },
      { release: 'seed', drift: [], notices: [], exit: 0 },
    ])
  })

  it('for an upgrade, but compares the fields that both releases show', async () => {
    await using fixture = await openFleetFixture({ ...outgoing, service: { release: 'older' } })
    const { drift } = await around(fixture, () => {
      fixture.service.behaviour.release = 'later'
      fixture.set({ http_timeout: 61 }, 1)
    })
    expect(driftLines({ drift } as Report)).toEqual([
      expect.stringMatching(new RegExp(`^modified endpoint ${fixture.endpointAt(1).uid} /http_timeout .* -> 61$`)),
    ])
  })

  it('for sources of a list that the service offers at times, and one for a source that came meanwhile', async () => {
    await using fixture = await openFleetFixture(incoming)
    const driftWhere = async (isOffered: boolean) => {
      fixture.service.behaviour.offers.sources = isOffered
      return driftLines(await fixture.audit())
    }
    expect([await driftWhere(false), await driftWhere(true), await driftWhere(false)]).toEqual([[], [], []])
    const uid = '01ZZZZZZZZZZZZZZZZZZZZZZZ1'
    changeIntake(fixture, (data) => ({
      ...data,
      sources: [{ ...at(data.sources, 0), uid, name: uid }, ...data.sources],
    }))
    expect([await driftWhere(true), await driftWhere(true)]).toEqual([[`added source ${uid}`], []])
  })
})
