import { describe, expect, it } from 'vitest'
import { changeData, updateProject } from '../../src/demo/edits.ts'
import type { EndpointRow, ProjectData, SourceRow } from '../../src/demo/rows.ts'
import type { Report } from '../../src/model/report.ts'
import { policyOf } from './audit-harness.ts'
import { at, type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

const policy = policyOf(`
extends: []
rules:
  drift/authentication-lost: {}
  drift/verification-weakened: {}
`)
const withSecrets = policyOf('extends: []\nrules: { drift/secret-changed: {} }')

const secret = (word: string) => `not-a-real-key-${word}-8f41c09be2d7a365`
const apiKey = (word: string): Partial<EndpointRow> => ({
  authentication: { type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value: secret(word) } },
})
const hmac = (word: string): Partial<SourceRow> => ({
  verifier: {
    type: 'hmac',
    hmac: { header: 'X-Signature', hash: 'SHA256', secret: secret(word), encoding: 'hex' },
    basic_auth: null,
    api_key: null,
  },
})

const open = () =>
  openFleetFixture({
    fleet: { incomingEvery: 1, endpointsPerProject: 1, subscriptionsPerProject: 1, sourcesPerProject: 1 },
  })

function set<List extends 'endpoints' | 'sources'>({ fleet }: FleetFixture, list: List, change: object): void {
  changeData(fleet, at(fleet.projects(), 0).uid, (data): ProjectData => {
    return { ...data, [list]: data[list].map((row) => ({ ...row, ...change })) }
  })
}

async function audit(fixture: FleetFixture, rules = policy): Promise<Report> {
  fixture.harness.advance(3_600_000)
  return fixture.audit({ policy: rules })
}

const said = ({ violations }: Report) =>
  violations.map(({ state, resolution, severity, path, message }) =>
    [resolution ?? state, severity, path, message].join(' '),
  )

const cases = [
  ['endpoints', apiKey, { authentication: null }, '/authentication/api_key/header_value', 'authentication'],
  ['sources', hmac, { verifier: null }, '/verifier/hmac/secret', 'verification'],
] as const

describe.each(cases)('a secret of %s that was lost', (list, make, lost, path, what) => {
  const back = `${path} ${what} is back, with another value than in run 1`

  it('and is back with another value is named until the next approval', async () => {
    await using fixture = await open()
    set(fixture, list, make('one'))
    await audit(fixture)
    set(fixture, list, lost)
    await audit(fixture)
    set(fixture, list, make('two'))
    expect(said(await audit(fixture))).toEqual([`opened low ${back}`, expect.stringMatching(/^fixed /)])
    expect(said(await audit(fixture))).toEqual([`continuing low ${back}`])
    await fixture.approve()
    const { violations } = await audit(fixture)
    expect(violations).toMatchObject([{ resolution: 'accepted', ended_by: { kind: 'baseline', by: 'eve' } }])
    expect(said(await audit(fixture))).toEqual([])
  })

  it('and is back as it was is fixed', async () => {
    await using fixture = await open()
    set(fixture, list, make('one'))
    await audit(fixture)
    set(fixture, list, lost)
    await audit(fixture)
    set(fixture, list, make('two'))
    await audit(fixture)
    set(fixture, list, make('one'))
    expect((await audit(fixture)).violations).toMatchObject([{ state: 'resolved', resolution: 'fixed' }])
  })

  it('and is back with another value than a baseline has is named until that is approved, too', async () => {
    await using fixture = await open()
    set(fixture, list, make('one'))
    await audit(fixture)
    await fixture.approve()
    set(fixture, list, lost)
    await audit(fixture)
    set(fixture, list, make('two'))
    expect(said(await audit(fixture))).toEqual([`opened low ${back}`, expect.stringMatching(/^fixed /)])
    expect(said(await audit(fixture))).toEqual([`continuing low ${back}`])
    await fixture.approve()
    expect((await audit(fixture)).violations).toMatchObject([{ resolution: 'accepted' }])
    expect(said(await audit(fixture))).toEqual([])
  })

  it('and whose loss a person accepted is a new one', async () => {
    await using fixture = await open()
    set(fixture, list, make('one'))
    await audit(fixture)
    set(fixture, list, lost)
    const report = await audit(fixture)
    await fixture.accept(report, at(report.violations, 0).rule)
    await audit(fixture)
    set(fixture, list, make('two'))
    expect(said(await audit(fixture))).toEqual([])
  })
})

it('a planned rotation, with nothing lost in between, opens nothing', async () => {
  await using fixture = await open()
  set(fixture, 'endpoints', apiKey('one'))
  await audit(fixture)
  set(fixture, 'endpoints', apiKey('two'))
  expect(said(await audit(fixture))).toEqual([])
})

it('a secret of another kind is followed to the value that it had, where its rule is on', async () => {
  await using fixture = await open()
  const project = at(fixture.fleet.projects(), 0).uid
  const meta = (value: string) =>
    updateProject(fixture.fleet, project, {
      meta_event: {
        is_enabled: true,
        type: 'http',
        event_type: ['a'],
        url: 'https://m.example.com',
        secret: value,
        pub_sub: null,
      },
    })
  meta(secret('one'))
  set(fixture, 'endpoints', apiKey('one'))
  await audit(fixture, withSecrets)
  meta('')
  set(fixture, 'endpoints', { authentication: null })
  await audit(fixture, withSecrets)
  meta(secret('two'))
  set(fixture, 'endpoints', apiKey('two'))
  const report = await audit(fixture, withSecrets)
  const active = report.violations.filter(({ state }) => state !== 'resolved')
  expect(active.map(({ path, message }) => `${path} ${message}`).sort()).toEqual([
    '/authentication/api_key/header_value secret replaced',
    '/config/meta_event/secret secret replaced',
  ])
})
