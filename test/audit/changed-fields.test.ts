import { describe, expect, it } from 'vitest'
import { changeEndpoint, rotateSecret, updateProject, updateSource, updateSubscription } from '../../src/demo/edits.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import { around, endpoint, incoming, intake, outgoing, setRow } from './drift-fixture.ts'
import { at, driftLines, openFleetFixture } from './fleet-fixture.ts'

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
  it.each(edits)('of an endpoint is reported by its pointer: %s', async (_, change, path, before, after) => {
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
    setRow(fixture, 0, { http_timeout: 61 })
    const report = await fixture.audit({ installationKey: 2 })
    expect(driftLines(report)).toEqual([expect.stringMatching(/ \/http_timeout \d+ -> 61$/)])
  })
})
