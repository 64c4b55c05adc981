import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeEndpoint } from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { type HistoryFixture, openHistoryFixture } from './history-fixture.ts'

const policy = policyOf('extends: []\nrules: { drift/authentication-lost: {}, drift/rate-limit-lost: {} }')

/** Two endpoints of a project lose what protects them in run 2. From run 3 on, its name is that of another project. */
describe('two projects that have one name, one after the other', () => {
  let history: HistoryFixture

  beforeAll(async () => {
    const fleet = generateFleet({ clean: true, projects: 2, incomingEvery: 0, endpointsPerProject: 3 })
    const [first = '', second = ''] = fleet.projects().map(({ uid }) => uid)
    const projects = { payments: first }
    history = await openHistoryFixture({ fleet, harness: { projects } })
    const audit = async () => {
      history.fixture.harness.advance(86_400_000)
      await history.fixture.audit({ policy })
    }
    const set = (to: Partial<EndpointRow>) => {
      for (const { uid } of fleet.open(first).endpoints.slice(0, 2))
        changeEndpoint(fleet, { project: first, uid }, (row) => ({ ...row, ...to }))
    }
    const api_key = { header_name: 'X-Key', header_value: 'not-a-real-key' }
    set({ authentication: { type: 'api_key', api_key }, rate_limit: 200, rate_limit_duration: 60 })
    await audit()
    set({ authentication: null, rate_limit: 0, rate_limit_duration: 0 })
    await audit()
    projects.payments = second
    await audit()
  })
  afterAll(() => history[Symbol.asyncDispose]())

  it('are not compared as if the later one had been there before', async () => {
    const { rows, not_scanned } = await history.rows('diff 1 3')
    expect(rows.map(({ change }) => change)).toEqual(['modified', 'modified'])
    expect(not_scanned).toEqual([
      { project: 'acme/payments', kind: 'endpoint', resources: 3 },
      { project: 'acme/payments', kind: 'project', resources: 1 },
      { project: 'acme/payments', kind: 'subscription', resources: 3 },
    ])
  })

  it('have violations of their own, which the approval of the other one does not end', async () => {
    const approved = await history.ask('baseline approve --format json')
    expect(approved).toMatchObject({ code: 0 })
    expect(JSON.parse(approved.stdout).ends).toEqual([])
  })

  it('are counted apart, so that the later one has none of the violations of the other', async () => {
    const { stdout } = await history.ask('status')
    expect(stdout).toContain('Also open: 4 violations of the earlier acme/payments, which is no longer audited.')
    const { rows } = JSON.parse((await history.ask('status --format json')).stdout)
    expect(rows).toMatchObject([{ project: 'acme/payments', run: 3, violations: { high: 0, medium: 0 } }])
  })

  it('are named once by a note', async () => {
    const { rows } = await history.rows('note deployed --project acme/*')
    expect(rows[0].projects).toEqual(['acme/payments'])
  })

  it('have causes of their own, which are put back where they are', async () => {
    const { rows: causes } = await history.rows('violations --by-cause')
    const { rows } = await history.rows(`restore --cause ${causes[0].id}`)
    const first = history.fixture.fleet.projects()[0]?.uid
    expect(rows.map(({ url }) => url.split('/').at(-3))).toEqual([first, first])
  })
})
