import { describe, expect, it } from 'vitest'
import {
  changeData,
  changeEndpoint,
  createEndpoint,
  createSubscription,
  deleteSource,
  deleteSubscription,
  rotateSecret,
  setEndpointStatus,
  updateProject,
  updateSource,
  updateSubscription,
} from '../../src/demo/edits.ts'
import type { Release } from '../../src/demo/release.ts'
import type { EndpointRow, ProjectData } from '../../src/demo/rows.ts'
import type { Report } from '../../src/model/report.ts'
import {
  at,
  coverageLines,
  driftLines,
  type FleetFixture,
  type FleetFixtureOptions,
  openFleetFixture,
  sizeOf,
  violationLines,
} from './fleet-fixture.ts'

const outgoing: FleetFixtureOptions = { fleet: { endpointsPerProject: 6 } }
/** One incoming project: six subscriptions on three sources. */
const incoming: FleetFixtureOptions = { fleet: { incomingEvery: 1, endpointsPerProject: 6, sourcesPerProject: 3 } }
const intake = 'partner-intake'

/** The first audit, something in between, the second. */
async function around(fixture: FleetFixture, between: () => unknown = () => {}): Promise<Report> {
  await fixture.audit()
  await between()
  return fixture.audit()
}

function endpoint(fixture: FleetFixture, index: number): { project: string; uid: string; row: EndpointRow } {
  const row = at(fixture.dataOf('payments').endpoints, index)
  return { project: row.project_id, uid: row.uid, row }
}

function setRow(fixture: FleetFixture, index: number, change: Partial<EndpointRow>): void {
  changeEndpoint(fixture.fleet, endpoint(fixture, index), (row) => ({ ...row, ...change }))
}

function changeIntake(fixture: FleetFixture, change: (data: ProjectData) => ProjectData): void {
  changeData(fixture.fleet, fixture.uidOf(intake), change)
}

describe('a run without change', () => {
  it('writes its own rows and nothing else, and hardly any bytes', async () => {
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

  it('takes nothing that it sees for the first time for drift', async () => {
    await using fixture = await openFleetFixture(incoming)
    expect((await fixture.audit()).drift).toEqual([])
  })

  it('takes a listing that is walked for the first time for no drift', async () => {
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

  it('shows the same drift whether pages hold 1, 3 or 1000 items', async () => {
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
  it.each(edits)('of an endpoint is that pointer: %s', async (_, change, path, before, after) => {
    await using fixture = await openFleetFixture(outgoing)
    const { drift } = await around(fixture, () => setRow(fixture, 2, change))
    const { uid, row } = endpoint(fixture, 2)
    expect(drift).toEqual([
      {
        project: 'acme/payments',
        kind: 'endpoint',
        uid,
        name: row.name,
        change: 'modified',
        fields: [{ path, before, after }],
      },
    ])
  })

  it('of a subscription is that pointer', async () => {
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
    const { uid: other } = endpoint(fixture, 0)
    const { drift } = await around(fixture, () =>
      updateSubscription(fixture.fleet, { project: fixture.uidOf('payments'), uid }, { endpoint_id: other }),
    )
    expect(drift.map(({ fields }) => fields)).toEqual([[{ path: '/endpoint_uid', before: endpoint_id, after: other }]])
  })

  it.each(['auto', 'off'] as const)('of a source is one change with its referrers, sources %s', async (sources) => {
    await using fixture = await openFleetFixture({ ...incoming, harness: { listings: { sources }, pageSize: 2 } })
    const [{ uid, name }] = [at(fixture.dataOf(intake).sources, 0)]
    const { drift } = await around(fixture, () =>
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
      },
    ])
  })

  it('of a project is that pointer', async () => {
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

describe('no drift', () => {
  it('comes of what changes by itself', async () => {
    await using fixture = await openFleetFixture({ ...outgoing, service: { release: 'later' } })
    const { drift } = await around(fixture, () => {
      setRow(fixture, 0, { failure_rate: 80.5, cb_state: 'open', updated_at: '2026-11-20T00:00:00Z' })
      fixture.service.failNext({
        path: new RegExp(`projects/${fixture.uidOf('payments')}$`),
        how: 'rewrite',
        body: (text) => text.replace('"statistics":null', '"statistics":{"events_exist":true}'),
      })
    })
    expect(drift).toEqual([])
    expect(fixture.query('SELECT 1 FROM version WHERE from_run = 2')).toEqual([])
  })

  it('comes of the order of sets, secrets and members', async () => {
    await using fixture = await openFleetFixture(outgoing)
    rotateSecret(fixture.fleet, endpoint(fixture, 0))
    const { uid, filter_config } = at(fixture.dataOf('payments').subscriptions, 0)
    const event_types = [...filter_config.event_types].reverse()
    const { drift } = await around(fixture, () => {
      changeEndpoint(fixture.fleet, endpoint(fixture, 0), (row) => ({
        ...row,
        secrets: [...(row.secrets ?? [])].reverse(),
      }))
      updateSubscription(
        fixture.fleet,
        { project: fixture.uidOf('payments'), uid },
        { filter_config: { ...filter_config, event_types } },
      )
    })
    expect(drift).toEqual([])
  })

  it('comes of another spelling of none', async () => {
    await using fixture = await openFleetFixture(outgoing)
    setRow(fixture, 0, { secrets: [] })
    expect((await around(fixture, () => setRow(fixture, 0, { secrets: null }))).drift).toEqual([])
  })

  it('comes of a masked secret', async () => {
    await using fixture = await openFleetFixture(outgoing)
    const basic = (password: string) => ({ type: 'basic_auth' as const, basic_auth: { username: 'u', password } })
    setRow(fixture, 0, { authentication: basic('not-a-real-key-1') })
    const { drift } = await around(fixture, () => setRow(fixture, 0, { authentication: basic('not-a-real-key-2') }))
    expect(drift).toEqual([])
    const [{ body }] = [
      at(fixture.query<{ body: string }>('SELECT body FROM version WHERE uid = ?', endpoint(fixture, 0).uid), 0),
    ]
    expect(JSON.parse(body).authentication.basic_auth.password).toBe('sealed:masked')
  })

  it('comes of releases older, seed, later and seed again, only one notice a project and upgrade', async () => {
    await using fixture = await openFleetFixture({ fleet: { projects: 3, incomingEvery: 3, endpointsPerProject: 8 } })
    const releases: Release[] = ['older', 'seed', 'later', 'seed', 'seed']
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

  it('hides a change behind an upgrade: what both releases show is compared', async () => {
    await using fixture = await openFleetFixture({ ...outgoing, service: { release: 'older' } })
    const { drift } = await around(fixture, () => {
      fixture.service.behaviour.release = 'later'
      setRow(fixture, 1, { http_timeout: 61 })
    })
    expect(driftLines({ drift } as Report)).toEqual([
      expect.stringMatching(new RegExp(`^modified endpoint ${endpoint(fixture, 1).uid} /http_timeout .* -> 61$`)),
    ])
  })
})

describe('secrets', () => {
  it('are compared one by one: rotated, replaced in place, removed', async () => {
    await using fixture = await openFleetFixture(outgoing)
    const secret = () => at(endpoint(fixture, 0).row.secrets ?? [], 0)
    const rotated = await around(fixture, () => rotateSecret(fixture.fleet, endpoint(fixture, 0)))
    const [old, fresh] = endpoint(fixture, 0).row.secrets ?? []
    expect(driftLines(rotated)).toEqual([
      expect.stringContaining(`/secrets/${old?.uid}/expires_at null -> "`),
      expect.stringMatching(new RegExp(`/secrets/${fresh?.uid} null -> \\{.*"value":"sealed:[0-9a-f]{32}"\\}$`)),
    ])

    setRow(fixture, 0, { secrets: (endpoint(fixture, 0).row.secrets ?? []).slice(1) })
    const removed = await fixture.audit()
    expect(driftLines(removed)).toEqual([expect.stringMatching(new RegExp(`/secrets/${old?.uid} \\{.*\\} -> null$`))])

    const { uid } = secret()
    setRow(fixture, 0, { secrets: [{ ...secret(), value: 'whsec_not-a-real-key-another' }] })
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

  it('sealed under another installation key are no drift and one notice; then rotation is seen again', async () => {
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

  it('change nothing else when the installation key changes: other edits of that time are drift', async () => {
    await using fixture = await openFleetFixture(outgoing)
    await fixture.audit()
    setRow(fixture, 0, { http_timeout: 61 })
    const report = await fixture.audit({ installationKey: 2 })
    expect(driftLines(report)).toEqual([expect.stringMatching(/ \/http_timeout \d+ -> 61$/)])
  })
})

describe('what comes and goes', () => {
  it('is added and removed', async () => {
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

  it('and comes again is added again, under its old uid', async () => {
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

  it('meanwhile, between two complete looks, leaves no trace', async () => {
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

  it('of a change that was undone before the next complete look, nothing is left', async () => {
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

describe('a source', () => {
  it('that nothing refers to any more is told once where sources are not listed, and is neither gone nor fine', async () => {
    await using fixture = await openFleetFixture({ ...incoming, service: { offers: noSources } })
    const project = fixture.uidOf(intake)
    const { uid } = at(fixture.dataOf(intake).sources, 0)
    updateSource(fixture.fleet, { project, uid }, { is_disabled: true })
    const one = await fixture.audit()
    changeIntake(fixture, (data) => ({
      ...data,
      subscriptions: data.subscriptions.filter(({ source_id }) => source_id !== uid),
    }))
    const two = await fixture.audit()
    const three = await fixture.audit()

    expect(violationLines(one)).toEqual([`opened source/disabled ${uid}`])
    expect(driftLines(two).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'removed subscription',
      'removed subscription',
    ])
    expect(two.notices.map(({ text }) => text)).toEqual([
      `source ${uid} is no longer referenced by any subscription; whether it still exists cannot be seen where sources are not listed`,
    ])
    expect(three.notices).toEqual([])
    expect([two, three].map(violationLines)).toEqual([
      [`unknown source/disabled ${uid}`],
      [`unknown source/disabled ${uid}`],
    ])
    expect(three.violations[0]?.last_seen).toBe(one.run.started_at)
    expect([two, three].map(({ verdict }) => verdict.exit_code)).toEqual([0, 0])
    expect(fixture.query('SELECT 1 FROM current_resource WHERE uid = ?', uid)).toHaveLength(1)
    expect(fixture.query('SELECT 1 FROM unreferenced WHERE to_run IS NULL')).toHaveLength(1)

    fixture.service.behaviour.offers = allOffers
    const listed = await fixture.audit()
    expect(listed.drift).toEqual([])
    expect(violationLines(listed)).toEqual([`continuing source/disabled ${uid}`])
    expect(fixture.query('SELECT 1 FROM unreferenced WHERE to_run IS NULL')).toEqual([])
  })

  it('that is referred to again is no drift, and its mark is taken away', async () => {
    await using fixture = await openFleetFixture({ ...incoming, service: { offers: noSources } })
    const { uid } = at(fixture.dataOf(intake).sources, 0)
    const { subscriptions } = fixture.dataOf(intake)
    await fixture.audit()
    changeIntake(fixture, (data) => ({ ...data, subscriptions: subscriptions.filter((row) => row.source_id !== uid) }))
    await fixture.audit()
    changeIntake(fixture, (data) => ({ ...data, subscriptions }))
    const back = await fixture.audit()
    expect(back.drift.filter(({ kind }) => kind === 'source')).toEqual([])
    expect(back.notices).toEqual([])
    expect(fixture.query('SELECT 1 FROM unreferenced WHERE to_run IS NULL')).toEqual([])
  })

  it('that is deleted while sources are not listed is removed when they are again', async () => {
    await using fixture = await openFleetFixture({ ...incoming, service: { offers: noSources } })
    const { uid } = at(fixture.dataOf(intake).sources, 0)
    await fixture.audit()
    deleteSource(fixture.fleet, { project: fixture.uidOf(intake), uid })
    const blind = await fixture.audit()
    fixture.service.behaviour.offers = allOffers
    const listed = await fixture.audit()
    expect(blind.drift.filter(({ kind }) => kind === 'source')).toEqual([])
    expect(driftLines(listed)).toEqual([`removed source ${uid}`])
  })

  it('keeps what the listing told of it while the listing is not there', async () => {
    await using fixture = await openFleetFixture(incoming)
    const project = fixture.uidOf(intake)
    // Nobody refers to it: only the listing shows it.
    const { uid: alone } = at(fixture.dataOf(intake).sources, 0)
    changeIntake(fixture, (data) => ({
      ...data,
      subscriptions: data.subscriptions.filter(({ source_id }) => source_id !== alone),
    }))
    updateSource(fixture.fleet, { project, uid: alone }, { is_disabled: true })
    const listed = await fixture.audit()
    const versions = fixture.query("SELECT uid, digest FROM version WHERE kind = 'source' ORDER BY uid")
    fixture.service.behaviour.offers = noSources
    const blind = await fixture.audit()
    const blindAgain = await fixture.audit()
    fixture.service.behaviour.offers = allOffers
    const back = await fixture.audit()

    expect(coverageLines(blind)).toContain(`${intake}/sources skipped`)
    expect([listed, blind, back].map(({ verdict }) => verdict.exit_code)).toEqual([0, 0, 0])
    expect([blind, blindAgain, back].map(({ drift }) => drift)).toEqual([[], [], []])
    expect([listed, blind, blindAgain, back].map(violationLines)).toEqual([
      [`opened source/disabled ${alone}`],
      [`unknown source/disabled ${alone}`],
      [`unknown source/disabled ${alone}`],
      [`continuing source/disabled ${alone}`],
    ])
    expect(fixture.query("SELECT uid, digest FROM version WHERE kind = 'source' ORDER BY uid")).toEqual(versions)
    expect(blindAgain.notices).toEqual([])
  })

  it('that changes while sources are not listed changes once, by what its stub shows', async () => {
    await using fixture = await openFleetFixture(incoming)
    const { uid } = at(fixture.dataOf(intake).sources, 0)
    await fixture.audit()
    fixture.service.behaviour.offers = noSources
    updateSource(
      fixture.fleet,
      { project: fixture.uidOf(intake), uid },
      { name: 'renamed', body_function: 'changed()' },
    )
    const blind = await fixture.audit()
    fixture.service.behaviour.offers = allOffers
    const listed = await fixture.audit()
    expect(driftLines(blind)).toEqual([expect.stringMatching(/ \/name ".*" -> "renamed"$/)])
    // The listing's own last complete look was before both edits.
    expect(driftLines(listed)).toEqual([expect.stringMatching(/ \/body_function .* -> "changed\(\)"$/)])
  })

  it('that is new with its subscription is added, listed or not', async () => {
    for (const offers of [allOffers, noSources]) {
      await using fixture = await openFleetFixture({ ...incoming, service: { offers } })
      const project = fixture.uidOf(intake)
      const { endpoints, sources } = fixture.dataOf(intake)
      const fresh = { ...at(sources, 0), uid: '01ZZZZZZZZZZZZZZZZZZZZZZZZ', name: 'fresh' }
      let subscription = ''
      const report = await around(fixture, () => {
        changeIntake(fixture, (data) => ({ ...data, sources: [fresh, ...data.sources] }))
        subscription = createSubscription(fixture.fleet, project, { endpoint: at(endpoints, 0).uid, source: fresh.uid })
      })
      expect(driftLines(report)).toEqual([`added source ${fresh.uid}`, `added subscription ${subscription}`])
    }
  })
})

const allOffers = { sources: true, project: true, projects: true, testFunction: true }
const noSources = { ...allOffers, sources: false }

describe('a run over some projects', () => {
  it('says nothing of the others and resolves nothing that spans the fleet', async () => {
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
