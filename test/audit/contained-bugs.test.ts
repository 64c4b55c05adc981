import { describe, expect, it } from 'vitest'
import { changeData, setEndpointStatus } from '../../src/demo/edits.ts'
import type { ServiceClient } from '../../src/gateway/service/service-client.ts'
import { AuditError } from '../../src/model/errors.ts'
import type { Format } from '../../src/report/formats.ts'
import { reports } from '../report/all-reports.ts'
import { type AuditTurn, policyOf } from './audit-harness.ts'
import { at, coverageLines, type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

const secret = 'sk_live_not-a-real-secret'

/** Throws where a mistake of ours would: while a page is read, after one was taken, when all walks have ended. */
const moments: Readonly<Record<string, (client: ServiceClient, bug: () => never) => ServiceClient>> = {
  'at its first request': (client, bug) => ({ ...client, project: async () => bug() }),
  'at a first page': (client, bug) => ({
    ...client,
    // biome-ignore lint/correctness/useYield: it throws before there is anything to yield
    async *pages() {
      bug()
    },
  }),
  'between two pages': (client, bug) => ({
    ...client,
    async *pages(listing, request) {
      for await (const page of client.pages(listing, request)) {
        if (page.number === 2) bug()
        yield page
      }
    },
  }),
  'after all its walks': (client, bug) => ({ ...client, testFunction: async () => bug() }),
}

const policy = policyOf(
  `
extends: []
rules: { endpoint/inactive: {}, endpoint/url-not-https: {} }
probes: [{ name: body, match: { name: "*" }, function: body, payload: ./payload.json, type: body }]
`,
  { '/etc/payload.json': '{"a":1}' },
)

function openFixture() {
  return openFleetFixture({
    fleet: { projects: 3, incomingEvery: 3, endpointsPerProject: 4, clean: false },
    harness: { pageSize: 2 },
  })
}

function breaking(moment: string, error: unknown): Pick<AuditTurn, 'between'> {
  const bug = () => {
    throw error
  }
  return {
    between: (name, client) => (name === 'partner-intake' ? (moments[moment]?.(client, bug) ?? client) : client),
  }
}

const ofBroken = <Row extends { readonly project: string }>(rows: readonly Row[]) =>
  rows.filter(({ project }) => project === 'acme/partner-intake')

function edit(fixture: FleetFixture): void {
  for (const name of ['payments', 'partner-intake']) {
    const project = fixture.uidOf(name)
    const status = name === 'payments' ? 'inactive' : 'paused'
    setEndpointStatus(fixture.fleet, { project, uid: at(fixture.dataOf(name).endpoints, 0).uid }, status)
    changeData(fixture.fleet, project, (data) => ({ ...data, endpoints: data.endpoints.slice(0, -1) }))
  }
}

const reason =
  'a bug in hookdrift ended the audit of this project (TypeError): nothing of it was kept. The log says where; please report it'

describe('a bug of hookdrift in one project', () => {
  it.each(Object.keys(moments))('fails that project and no other: %s', async (moment) => {
    await using fixture = await openFixture()
    const before = await fixture.audit({ policy })
    edit(fixture)
    const reported: unknown[] = []
    const error = new TypeError(`cannot read ${secret}`)
    const broken = await fixture.audit({ ...breaking(moment, error), onBug: (...bug) => reported.push(bug) })

    expect(reported).toEqual([
      [expect.objectContaining({ ref: expect.objectContaining({ name: 'acme/partner-intake' }) }), error],
    ])
    expect(broken.verdict.exit_code).toBe(4)
    expect(broken.verdict.text).toMatch(
      /^a bug in hookdrift ended the audit of 1 project; 4 of 12 listings incomplete; /,
    )
    expect(ofBroken(broken.coverage).map(({ listing, status, reason }) => ({ listing, status, reason }))).toEqual(
      ['project', 'endpoints', 'sources', 'subscriptions'].map((listing) => ({ listing, status: 'failed', reason })),
    )
    expect(coverageLines(broken).filter((line) => line.endsWith('failed'))).toHaveLength(4)
    expect(ofBroken(broken.drift)).toEqual([])
    expect(broken.notices.filter(({ project }) => project === 'acme/partner-intake')).toEqual([])
    expect(ofBroken(broken.violations).filter(({ state }) => state !== 'unknown')).toEqual([])
    expect(broken.drift.map(({ project }) => project)).toContain('acme/payments')
    expect(broken.drift.map(({ change }) => change)).toContain('removed')
    expect(JSON.stringify(broken)).not.toContain(secret)

    const after = await fixture.audit()
    expect(coverageLines(after).filter((line) => !line.endsWith('complete'))).toEqual([])
    expect(ofBroken(after.drift).map(({ change }) => change)).toEqual(expect.arrayContaining(['modified', 'removed']))
    expect(ofBroken(after.violations).map(({ fingerprint }) => fingerprint)).toEqual(
      expect.arrayContaining(
        ofBroken(before.violations)
          .filter(({ kind }) => kind !== 'endpoint')
          .map(({ fingerprint }) => fingerprint),
      ),
    )
  })

  it('leads to the same verdict in the history and in every report', async () => {
    await using fixture = await openFixture()
    const broken = await fixture.audit({
      policy,
      ...breaking('between two pages', new RangeError(secret)),
      onBug: () => {},
    })
    expect(fixture.query('SELECT exit_code FROM committed_run')).toEqual([{ exit_code: 4 }])
    const options = { colour: false, width: Number.POSITIVE_INFINITY, full: true }
    const text = (format: Format) => reports[format](broken, options)
    expect(JSON.parse(text('sarif')).runs[0].invocations[0]).toMatchObject({ executionSuccessful: false, exitCode: 4 })
    expect(text('junit')).toContain('<property name="exit_code" value="4"/>')
    expect(text('junit').match(/<error message="failed: a bug in hookdrift/g)).toHaveLength(4)
    for (const format of ['text', 'markdown'] as const) expect(text(format)).toContain('Exit code 4')
    expect(text('html')).toContain('<dt>Exit code</dt><dd>4</dd>')
    for (const format of Object.keys(reports) as Format[]) expect(text(format)).not.toContain(secret)
  })

  it('outranks gaps and violations: exit code 4 wins over 3 and 1', async () => {
    await using fixture = await openFixture()
    fixture.service.failNext({ how: 'status', status: 500, path: /endpoints/, times: Number.POSITIVE_INFINITY })
    const broken = await fixture.audit({
      policy,
      ...breaking('at its first request', new TypeError()),
      onBug: () => {},
    })
    expect(broken.verdict.exit_code).toBe(4)
    expect(coverageLines(broken)).toContain('payments/endpoints failed')
  })

  it('keeps the rules of other projects, and leaves rules across the fleet unknown', async () => {
    await using fixture = await openFixture()
    const shared = policyOf('extends: []\nrules: { endpoint/secret-shared: {} }')
    const uids = fixture.fleet.projects().map(({ uid }) => uid)
    for (const uid of uids)
      changeData(fixture.fleet, uid, (data) => ({
        ...data,
        endpoints: data.endpoints.map((row) => ({
          ...row,
          secrets: at(fixture.dataOf('payments').endpoints, 0).secrets,
        })),
      }))
    const before = await fixture.audit({ policy: shared })
    const broken = await fixture.audit({
      ...breaking('at a first page', new TypeError()),
      onBug: () => {},
    })
    expect(before.violations.length).toBeGreaterThan(0)
    expect(broken.violations.filter(({ state }) => state === 'resolved')).toEqual([])
  })
})

describe('an error that is not confined to one project', () => {
  it.each([
    ['a lost lease', AuditError.busy('the run no longer owns the lease')],
    ['a history that cannot be written', AuditError.failure('the disk is full')],
  ])('ends the run: %s', async (_title, error) => {
    await using fixture = await openFixture()
    await expect(fixture.audit({ policy, ...breaking('between two pages', error), onBug: () => {} })).rejects.toBe(
      error,
    )
    expect(fixture.query('SELECT state FROM run')).toEqual([{ state: 'interrupted' }])
  })
})
