import { afterAll, describe, expect, it } from 'vitest'
import { changeEndpoint, deleteEndpoint, setEndpointStatus } from '../../src/demo/edits.ts'
import type { RecordedScan } from '../../src/history/sql/scans.ts'
import { findProject } from '../../src/questions/compare.ts'
import { refuseUnknownRule } from '../../src/questions/violations.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { watchStatements } from '../history/changed-history.ts'
import { openHistoryFixture } from './history-fixture.ts'

/** Endpoints of one project: two share a name; four violate a rule, under two owners, and one of these is deleted. */
const history = await openHistoryFixture({ fleet: { projects: 2, incomingEvery: 0, endpointsPerProject: 6 } })
const { fixture } = history
const project = fixture.uidOf('payments')
const uids = fixture.fleet.open(project).endpoints.map(({ uid }) => uid)
const names = ['alone', 'twin', 'twin', 'gone', 'other', 'last']
for (const [index, uid] of uids.entries()) {
  const owner_id = index < 2 ? 'tenant-01' : 'tenant-02'
  changeEndpoint(fixture.fleet, { project, uid }, (row) => ({ ...row, name: at(names, index), owner_id }))
}
for (const index of [0, 3]) setEndpointStatus(fixture.fleet, { project, uid: at(uids, index) }, 'inactive')
await fixture.audit()
deleteEndpoint(fixture.fleet, { project, uid: at(uids, 3) })
for (const index of [1, 4]) setEndpointStatus(fixture.fleet, { project, uid: at(uids, index) }, 'inactive')
// Its subscription has a violation.
setEndpointStatus(fixture.fleet, { project, uid: at(uids, 5) }, 'paused')
await fixture.audit()
afterAll(() => history[Symbol.asyncDispose]())

describe('a resource', () => {
  const policy = new URL('../../config/policy.yaml', import.meta.url).pathname
  const timelineOf = async (text: string) => (await history.rows(`timeline ${text}`)).resources[0].uid

  it('is found by its uid, by its name, also when it is gone, and by a beginning that no other uid has', async () => {
    const first = at(uids, 0)
    const shared = (prefix: string) => uids.filter((uid) => uid.startsWith(prefix)).length > 1
    const prefix = Array.from({ length: first.length }, (_, length) => first.slice(0, length + 1)).find(
      (p) => !shared(p),
    )
    expect([
      await timelineOf(first),
      await timelineOf('alone'),
      await timelineOf('gone'),
      await timelineOf(prefix ?? ''),
    ]).toEqual([first, first, at(uids, 3), first])
    expect((await history.rows(`policy explain alone --policy ${policy}`)).uid).toBe(first)
  })

  const rule = 'endpoint/inactive'
  const amended = async () => (await history.rows('baseline show --all')).rows[0].amendments.at(-1).uid

  /** Every question about one resource: asks it by a text, and gives the uid that it understood. */
  const questions: Readonly<Record<string, (text: string) => Promise<string>>> = {
    timeline: timelineOf,
    restore: async (text) => (await history.rows(`restore ${text}`)).resource.uid,
    explain: async (text) => (await history.rows(`policy explain ${text} --policy ${policy}`)).uid,
    async accept(text) {
      const { rows } = await history.rows(`accept ${rule} ${text} --reason known`)
      await history.rows(`accept --revoke ${rows[0].fingerprint}`)
      return rows[0].uid
    },
    async approve(text) {
      await history.rows('baseline approve --note agreed --yes --project payments')
      await history.rows(`baseline approve --uid ${text} --note agreed --yes`)
      return amended()
    },
  }

  it.each(Object.keys(questions))('is meant alike by %s: by a uid, a name, or a beginning of one', async (question) => {
    const ask = questions[question] ?? timelineOf
    const [uid = ''] = uids
    const last = Array.from(uid).findIndex(
      (_, length) => !uids.slice(1).some((one) => one.startsWith(uid.slice(0, length))),
    )
    for (const text of [uid, uid.slice(0, last), 'alone', 'alo']) expect([text, await ask(text)]).toEqual([text, uid])
    await expect(ask('0')).rejects.toThrow(/ended with 2: .*"0"/)
    await expect(ask('nowhere')).rejects.toThrow(/ended with 2: .*nowhere/)
  })

  it('is asked for again where a name or a beginning means several', async () => {
    const twins = await history.ask('timeline twin')
    expect(twins.code).toBe(2)
    expect(twins.stderr).toMatch(/^hookdrift: "twin" is the name of 2 resources:\n {2}acme\/payments endpoint "twin" /)
    for (const index of [1, 2]) expect(twins.stderr).toContain(at(uids, index))
    expect(twins.stderr).toContain('use a uid, or choose with --project')
    expect((await history.ask('timeline tiwn')).stderr).toContain('no resource "tiwn", did you mean twin?')
    expect((await history.ask('timeline 0')).stderr).toMatch(/"0" begins the uids of \d+ resources:/)
    expect((await history.ask('timeline twi')).stderr).toMatch(/"twi" begins the names of 2 resources:/)
    expect((await history.ask(`policy explain twin --policy ${policy}`)).code).toBe(2)
    expect(await history.ask('timeline nowhere')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no resource "nowhere"'),
    })
  })
})

describe('violations', () => {
  const found = async (...args: string[]): Promise<[string, string | null][]> =>
    (await history.rows(['violations', '--rule', 'endpoint/inactive', ...args])).rows.map(({ uid, owner }) => [
      uid,
      owner,
    ])

  it('have the owner of their endpoint, and are chosen by it', async () => {
    expect(new Map(await found())).toEqual(
      new Map([
        [uids[0], 'tenant-01'],
        [uids[1], 'tenant-01'],
        [uids[4], 'tenant-02'],
      ]),
    )
    expect(await found('--owner', 'tenant-02')).toEqual([[uids[4], 'tenant-02']])
    expect(await found('--owner', 'tenant-*')).toHaveLength(3)
    expect(await found('--owner', 'tenant')).toEqual([])
    // One that ended with its endpoint has the owner that the endpoint had.
    expect(await found('--resolved', '--owner', 'tenant-02')).toEqual([[uids[3], 'tenant-02']])
    expect(fixture.query("SELECT uid, owner FROM violation_history WHERE rule = 'endpoint/inactive'")).toEqual([
      { uid: uids[3], owner: 'tenant-02' },
    ])
    expect((await history.ask('violations --owner tenant-02')).stdout).toContain('owner tenant-02')
  })

  it('of an owner without an endpoint are none because there is no such owner', async () => {
    const owned = async (owner: string) => (await history.ask(`violations --owner ${owner}`)).stdout
    expect(await owned('tenant')).toContain('No endpoint belongs to tenant.')
    expect(await owned('tenant-20')).toContain('No endpoint belongs to tenant-20, did you mean tenant-02?')
    expect(await owned('tenant-0*')).not.toContain('No endpoint belongs')
    expect((await history.ask('violations --owner tenant --format csv')).stderr).toContain('No endpoint')
  })

  it('of a subscription have the owner of its endpoint', async () => {
    const { rows } = await history.rows('violations --kind subscription')
    for (const { kind, owner } of rows)
      expect([kind, owner]).toEqual(['subscription', expect.stringMatching(/^tenant-/)])
    expect(rows.length).toBeGreaterThan(0)
    expect((await history.rows('violations --kind device')).rows).toEqual([])
  })

  it('of a rule are not all read to find out whether there is such a rule', async () => {
    await fixture.harness.withHistory(async (history) => {
      const statements = watchStatements(history)
      await refuseUnknownRule('endpoint/*', 2, history)
      expect(statements.filter((sql) => sql.includes('hookdrift.violation'))).toEqual([])
    })
  })

  it('are sorted by age, and counted regardless of the limit', async () => {
    const { rows, counts, omitted } = await history.rows('violations --sort age --limit 1')
    expect(rows[0].state).toBe('continuing')
    expect(counts.total).toBe(1 + omitted)
    expect(counts.states.opened).toBeGreaterThan(0)
    const all = (await history.rows('violations --sort age')).rows.map((row) => row.first_seen)
    expect(all).toEqual(all.toSorted())
    expect((await history.ask('violations')).stdout).toMatch(/\n\d+ violations: .*; \d+ opened, \d+ continuing; the/)
  })

  it('are chosen by age and by the label of their project', async () => {
    expect(await found('--older-than', '9999d')).toEqual([])
    expect((await history.ask('violations --older-than old')).stderr).toContain('Expected a duration')
    expect(await history.ask('violations --label env=nowhere')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no project has the label env=nowhere'),
    })
    expect((await history.ask('violations --label env')).stderr).toContain('Expected a label such as env=prod')
  })
})

const run = { number: 1, started_at: '2026-03-01T00:00:00Z', finished_at: '2026-03-01T00:00:01Z' }
const scans = ['acme/orders', 'acme/payments', 'globex/payouts'].map(
  (name): RecordedScan => ({
    project: { name, service: name.split('/')[0] ?? '', uid: `01${name.slice(-3)}` },
    run,
    coverage: [],
    incompleteSince: undefined,
    isGone: false,
    hasDeparted: false,
  }),
)

it.each([
  ['acme/orders', 'acme/orders'],
  ['orders', 'acme/orders'],
  ['ord', 'acme/orders'],
  ['acme/p', 'acme/payments'],
  ['paym', 'acme/payments'],
  ['01nts', 'acme/payments'],
  ['01u', 'globex/payouts'],
])('%s means the project %s', (text, name) => {
  expect(findProject(scans, text).project.name).toBe(name)
})

it.each([
  ['pay', '"pay" means several projects: acme/payments, globex/payouts'],
  ['01', '"01" means several projects: acme/orders, acme/payments, globex/payouts'],
  ['ordres', 'no run scanned a project "ordres", did you mean acme/orders?'],
])('%s means no single project', (text, message) => {
  expect(() => findProject(scans, text)).toThrow(message)
})

it('gives violations the due dates of the project that has the name now, and not of the one that had it before', async () => {
  const projects: Record<string, string> = {}
  await using made = await openHistoryFixture({ fleet: { projects: 2, endpointsPerProject: 1 }, harness: { projects } })
  const { fixture } = made
  const rules = 'extends: []\nrules: { endpoint/url-not-https: high }\n'
  for (const [at, { uid }] of fixture.fleet.projects().entries()) {
    const [endpoint] = fixture.fleet.open(uid).endpoints
    changeEndpoint(fixture.fleet, { project: uid, uid: endpoint?.uid ?? '' }, (row) => ({
      ...row,
      url: 'http://a.example',
    }))
    projects.payments = uid
    await fixture.audit({ policy: policyOf(at === 0 ? `${rules}due: { high: 2d }` : rules) })
  }
  const { rows } = await made.rows('violations')
  expect(rows.map((row) => row.due_at)).toEqual([null, null])
})
