import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { type HistoryFixture, openHistoryFixture } from '../questions/history-fixture.ts'
import { type PrintedRow, sendTo, valuesFrom } from './send-rows.ts'

const policy = policyOf(`
extends: []
rules:
  drift/authentication-lost: {}
  drift/rate-limit-lost: {}
`)

describe('a cause on the command line', () => {
  let history: HistoryFixture
  let cause: string
  let before: ReadonlyMap<string, EndpointRow>

  beforeAll(async () => {
    history = await openHistoryFixture({ fleet: { projects: 2, endpointsPerProject: 4 } })
    for (const [at, endpoint] of endpoints().entries()) {
      set(endpoint, {
        authentication: apiKey(`key-of-${at}-kJ7dQ2mXv9tRz4Lw`),
        rate_limit: 200,
        rate_limit_duration: 60,
      })
    }
    before = rows()
    await audit()
    for (const endpoint of endpoints().slice(1)) set(endpoint, { authentication: null, rate_limit: 0 })
    await audit()
    cause = (await history.rows('violations --by-cause')).rows[0].id
  })
  afterAll(() => history[Symbol.asyncDispose]())

  const audit = () => history.fixture.audit({ policy })
  const endpoints = () =>
    history.fixture.fleet.projects().flatMap(({ uid }) => history.fixture.fleet.open(uid).endpoints)
  const rows = () => new Map(endpoints().map((row) => [row.uid, row]))
  const set = ({ project_id: project, uid }: EndpointRow, to: Partial<EndpointRow>) =>
    changeEndpoint(history.fixture.fleet, { project, uid }, (row) => ({ ...row, ...to }))

  it('is one row with its resources, its fields and what follows from it', async () => {
    const { rows } = await history.rows('violations --by-cause')
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({
      change: 'modified',
      path: '/authentication',
      // Each endpoint lost a key of its own.
      before: null,
      after: null,
      fields: [{ path: '/authentication' }, { path: '/rate_limit', before: 200, after: 0 }],
      resources: 7,
      severity: 'high',
      rules: [
        { rule: 'drift/authentication-lost', severity: 'high', violations: 7 },
        { rule: 'drift/rate-limit-lost', severity: 'medium', violations: 7 },
      ],
    })
    expect(rows[0].violations).toHaveLength(14)
    const { stdout } = await history.ask(['violations', '--by-cause'])
    expect(stdout).toContain('/authentication and 1 other field were wiped from 7 endpoints of 2 projects')
    expect(stdout).toContain(`hookdrift restore --cause ${cause}`)
  })

  it('stays out of projects that were not asked for', async () => {
    const { rows } = await history.rows('violations --by-cause --project acme/payments')
    expect(rows).toMatchObject([{ id: cause, resources: 3, projects: ['acme/payments'] }])
    expect((await history.rows('violations --by-cause --kind source')).rows).toEqual([])
  })

  it('is accepted as a whole, and taken back', async () => {
    const [first] = (await history.rows('violations --by-cause')).rows[0].violations
    const { rows: alone } = await history.rows(`accept ${first} --reason OPS-0 --by lee`)
    const { rows: others } = await history.rows(`accept --cause ${cause} --reason OPS-1 --by ada`)
    const accepted = [...alone, ...others]
    expect([alone.length, others.length]).toEqual([1, 13])
    const again = await history.ask(['accept', '--cause', cause, '--reason', 'OPS-1'])
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('was accepted by')])
    await audit()
    expect((await history.rows('violations --by-cause')).rows).toEqual([])
    const refused = await history.ask(['accept', '--cause', cause, '--reason', 'OPS-1'])
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('no open violation follows from a cause'),
    ])
    await history.rows([
      'accept',
      '--revoke',
      ...accepted.map(({ fingerprint }: { fingerprint: string }) => fingerprint),
    ])
    await audit()
  })

  it('is put back by the requests that restore prints for it', async () => {
    const { rows: printed, cause: shown, left_to_you } = await history.rows(`restore --cause ${cause}`)
    expect(shown).toMatchObject({ id: cause, resources: 7 })
    expect(left_to_you).toEqual([])
    expect(printed).toHaveLength(7)
    const { stdout } = await history.ask(['restore', '--cause', cause])
    const variables = stdout.slice(stdout.indexOf('Set these variables first')).replaceAll(/\s+/g, ' ')
    for (const { uid, placeholders } of printed) {
      const [{ name }] = placeholders.filter(({ path }: { path: string | null }) => path !== null)
      expect(variables).toContain(`${name}: /authentication/api_key/header_value of endpoint ${uid}: the former secret`)
    }
    expect(variables).toContain(' ACME_KEY: a key of acme that may write ')
    // The key of one endpoint is not the key of another.
    const values = new Map<string, string>()
    for (const row of printed as readonly (PrintedRow & { uid: string })[]) {
      for (const [name, value] of valuesFrom([row], before.get(row.uid))) {
        expect(values.get(name) ?? value).toBe(value)
        values.set(name, value)
      }
    }
    expect(await sendTo(history.fixture, printed, values)).toEqual(printed.map(() => 202))
    for (const [uid, row] of rows()) {
      expect({ ...row, updated_at: '' }).toEqual({ ...before.get(uid), updated_at: '' })
    }
    await audit()
    // What mended it was done alike, too, and is not a cause: it is not offered for undoing.
    expect((await history.rows('violations --by-cause')).rows).toEqual([])
    const { rows: none, cause: absent } = await history.rows(`restore --cause ${cause}`)
    expect([none, absent]).toEqual([[], undefined])
    const mended = await history.ask(['restore', '--cause', cause])
    expect([mended.code, mended.stdout]).toEqual([0, expect.stringContaining('Nothing to restore')])
    expect(mended.stdout).not.toContain('curl')
    const unknown = await history.ask(['restore', '--cause', '2-00000000'])
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('has no cause')])
  })

  it('is not named together with a resource, nor with what no cause has', async () => {
    for (const args of [['restore'], ['restore', 'uid', '--cause', cause], ['restore', '--cause', '1; rm -rf /']]) {
      expect((await history.ask(args)).code).toBe(2)
    }
  })
})

function apiKey(value: string): EndpointRow['authentication'] {
  return { type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value: value } }
}
