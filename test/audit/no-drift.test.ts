import { describe, expect, it } from 'vitest'
import { changeEndpoint, rotateSecret, updateSubscription } from '../../src/demo/edits.ts'
import type { SimulatedRelease } from '../../src/demo/release.ts'
import type { Report } from '../../src/model/report.ts'
import { around, endpoint, outgoing, setRow } from './drift-fixture.ts'
import { at, driftLines, openFleetFixture } from './fleet-fixture.ts'

describe('a run reports no drift', () => {
  it('for volatile fields', async () => {
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

  it('for the order of sets, secrets and members', async () => {
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

  it('for another spelling of an empty value', async () => {
    await using fixture = await openFleetFixture(outgoing)
    setRow(fixture, 0, { secrets: [] })
    expect((await around(fixture, () => setRow(fixture, 0, { secrets: null }))).drift).toEqual([])
  })

  it('for a masked secret', async () => {
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
      setRow(fixture, 1, { http_timeout: 61 })
    })
    expect(driftLines({ drift } as Report)).toEqual([
      expect.stringMatching(new RegExp(`^modified endpoint ${endpoint(fixture, 1).uid} /http_timeout .* -> 61$`)),
    ])
  })
})
