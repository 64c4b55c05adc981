import { describe, expect, it } from 'vitest'
import { changeData, updateProject } from '../../src/demo/edits.ts'
import { command } from '../cli/run-in-process.ts'
import { openDirectory } from '../cli/start-process.ts'
import { policyOf } from './audit-harness.ts'
import { at, driftLines, openFleetFixture } from './fleet-fixture.ts'

const rule = (id: string, kind: string, assert: string) => `
  - id: acme/${id}
    kind: ${kind}
    assert: ${JSON.stringify(assert)}
    severity: high
    message: 'not as agreed'
`
const text = `
extends: []
rules:
  drift/request-id-header: {}
  project/signature-broken: {}
  source/event-type-unsigned: {}
  source/verifier-unknown: {}
custom:${[
  rule('header', 'project', "resource.config.request_id_header == 'X-Convoy-Idempotency-Key'"),
  rule('verified', 'project', 'resource.config.verify_dynamic_events'),
  rule('matched', 'project', '!resource.config.allow_unmatched_dynamic_urls'),
  rule('typed', 'source', "!resource.event_type_location.startsWith('request.header.')"),
].join('')}`
const policy = policyOf(text)

/** One project with one source that verifies nothing. */
async function openProject(release: 'seed' | 'later') {
  const fleet = { incomingEvery: 1, endpointsPerProject: 1, sourcesPerProject: 1 }
  const fixture = await openFleetFixture({ fleet, service: { release } })
  const { uid } = at(fixture.fleet.projects(), 0)
  updateProject(fixture.fleet, uid, { verify_dynamic_events: true })
  return Object.assign(fixture, {
    project: uid,
    source: at(fixture.fleet.open(uid).sources, 0).uid,
    setSource: (change: object) =>
      changeData(fixture.fleet, uid, (data) => ({
        ...data,
        sources: data.sources.map((row) => ({ ...row, ...change })),
      })),
    /** Open violations as `rule path`, sorted. */
    async next() {
      const report = await fixture.audit({ policy })
      const open = report.violations.filter(({ state }) => state === 'opened' || state === 'continuing')
      return { drift: driftLines(report), open: open.map((each) => `${each.rule} ${each.path}`).sort() }
    },
  })
}

describe('fields of later releases', () => {
  it('are known to a policy', async () => {
    using directory = openDirectory()
    directory.write('policy.yaml', text)
    expect(await command(['policy', 'check', 'policy.yaml'], { cwd: directory.path })).toMatchObject({
      code: 0,
      stderr: '',
    })
    directory.write('policy.yaml', text.replace('resource.event_type_location', 'resource.event_type_locatoin'))
    const { code, stderr } = await command(['policy', 'check', 'policy.yaml'], { cwd: directory.path })
    expect([code, stderr]).toEqual([2, expect.stringContaining('event_type_locatoin')])
  })

  it('are no drift and no violation where an upgrade begins to show them', async () => {
    await using fixture = await openProject('seed')
    fixture.setSource({ event_type_location: 'request.body.type' })
    const nothing = { drift: [], open: [] }
    expect(await fixture.next()).toEqual(nothing)
    fixture.service.behaviour.release = 'later'
    expect([await fixture.next(), await fixture.next()]).toEqual([nothing, nothing])
    fixture.service.behaviour.release = 'seed'
    expect(await fixture.next()).toEqual(nothing)
  })

  it('are drift once they change, and rules read them', async () => {
    await using fixture = await openProject('later')
    expect(await fixture.next()).toEqual({ drift: [], open: [] })
    updateProject(fixture.fleet, fixture.project, {
      request_id_header: 'x-acme-tok3n-id',
      verify_dynamic_events: false,
      allow_unmatched_dynamic_urls: true,
    })
    fixture.setSource({ event_type_location: 'request.header.X-Event-Type', verifier: null })
    const { drift, open } = await fixture.next()
    const changes = drift.map((line) => line.split(' ').slice(3).join(' '))
    expect(changes.filter((change) => !change.startsWith('/verifier'))).toEqual([
      '/config/allow_unmatched_dynamic_urls false -> true',
      '/config/request_id_header "X-Convoy-Idempotency-Key" -> "x-acme-tok3n-id"',
      '/config/verify_dynamic_events true -> false',
      '/event_type_location null -> "request.header.X-Event-Type"',
    ])
    expect(open).toEqual([
      'acme/header ',
      'acme/matched ',
      'acme/typed ',
      'acme/verified ',
      'drift/request-id-header /config/request_id_header',
      'source/event-type-unsigned /event_type_location',
    ])
  })

  it('leave no violation of a hash where no version is left, and the other way round', async () => {
    await using fixture = await openProject('later')
    const sign = (...hashes: string[]) => {
      const versions = hashes.map((hash) => ({
        uid: `v-${hash.toLowerCase()}`,
        hash,
        encoding: 'hex',
        created_at: '2026-01-01T00:00:00Z',
      }))
      updateProject(fixture.fleet, fixture.project, { signature: { header: 'X-Convoy-Signature', versions } })
    }
    sign('MD5')
    expect((await fixture.next()).open).toEqual(['project/signature-broken /config/signature/versions/v-md5/hash'])
    sign()
    expect((await fixture.next()).open).toEqual(['project/signature-broken /config/signature/versions'])
    sign('SHA256')
    expect((await fixture.next()).open).toEqual([])
  })
})
