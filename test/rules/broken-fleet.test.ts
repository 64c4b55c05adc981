import { describe, expect, it } from 'vitest'
import { changeData, createEndpoint, createSubscription, updateProject } from '../../src/demo/edits.ts'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import type { ProjectData } from '../../src/demo/rows.ts'
import type { Report } from '../../src/model/report.ts'
import { isAtLeast } from '../../src/model/violation.ts'
import { rules } from '../../src/rules/rules.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at, openFleetFixture } from '../audit/fleet-fixture.ts'
import { type Break, endpointBreaks, hmac, projectBreaks, sourceBreaks, subscriptionBreaks } from './broken-rows.ts'

/** Rules that one scan of a fleet cannot break, and where they are tested instead. */
const elsewhere: Readonly<Record<string, string>> = {
  'project/disable-hair-trigger': 'is about a short schedule, which breaks a second rule: the cases of the rule',
  'project/dynamic-urls-unmatched': 'needs URL templates of endpoints: the cases of the rule',
  'drift/': 'need a change between two scans: test/audit',
  'probe/': 'need a probe in the policy: test/audit',
  'source/function-broken': 'needs a probe in the policy: test/audit',
  'subscription/filter-': 'need the filter rows of a subscription: the cases of these rules',
  'subscription/event-type-unreachable': 'needs the filter rows of a subscription: the cases of the rule',
  'subscription/no-filter': 'needs the filter rows of a subscription: the cases of the rule',
  'project/vanished': 'needs a project that was there before: test/audit',
  'project/unlisted': 'needs a list of projects: test/audit/unlisted.test.ts',
  'project/mass-removal': 'needs a walk that lost much: test/audit',
  'subscription/event-type-deprecated': 'needs a catalogue: its cases give one',
  'service/': 'are about the release of the service: test/audit/release.test.ts',
  'violation/': 'need violations that are old: test/audit/due.test.ts',
  'waiver/': 'are about the policy: test/audit/waivers.test.ts',
}

/** All rules are on but that about the release, which is an old one here; the made-up hosts of the fleet are reserved names, and its names have a pattern. */
const policy = policyOf(`
extends: [all]
rules:
  endpoint/url-test-host: { allow_hosts: ["*.example.com"] }
  endpoint/owner-missing: {}
  endpoint/name-convention: { name: "^[a-z]+-[0-9]{3}$" }
  service/release-vulnerable: off
`)

const dayMs = 86_400_000

/** A fleet that no rule minds: of what the generator varies, the variant that passes even `all`. */
function cleanFleet(endpointsPerProject: number, sourcesPerProject: number, projects: number): SimulatedFleet {
  const fleet = generateFleet({ clean: true, projects, incomingEvery: 2, endpointsPerProject, sourcesPerProject })
  for (const { uid } of fleet.projects()) {
    changeData(fleet, uid, ({ endpoints, subscriptions, sources }) => ({
      endpoints,
      subscriptions: subscriptions.map((row) => ({
        ...row,
        alert_config: null,
        // The mask of a source is the type of its events; any other name does for a source that is not there.
        filter_config: {
          ...row.filter_config,
          event_types: row.source_id === null ? row.filter_config.event_types : ['the-mask'],
        },
        rate_limit_config: null,
        retry_config: null,
      })),
      sources: sources.map((row) => ({
        ...row,
        body_function: null,
        verifier: hmac(`not-a-real-key-${row.mask_id}${row.uid}`),
      })),
    }))
  }
  return fleet
}

/** Active violations as `rule uid`, sorted. */
function activeLines({ violations }: Report): string[] {
  const open = violations.filter(({ state }) => state === 'opened' || state === 'continuing')
  return [...new Set(open.map(({ rule, uid }) => `${rule} ${uid}`))].sort()
}

/** Breaks one row for each rule; one that takes two also breaks the row behind it. Returns what is then expected. */
function breakRows<Row extends { readonly uid: string }>(
  rows: readonly Row[],
  breaks: Readonly<Record<string, Break<Row>>>,
  expected: string[],
): { readonly rows: readonly Row[]; readonly broken: ReadonlyMap<string, Row> } {
  const changed = [...rows]
  const broken = new Map<string, Row>()
  let place = 0
  for (const [rule, { row, also = [], withTwin }] of Object.entries(breaks)) {
    const twin = at(rows, place + 1)
    const result = row(at(rows, place), twin)
    changed[place] = result
    broken.set(rule, result)
    for (const id of [rule, ...also]) expected.push(`${id} ${result.uid}`)
    if (withTwin) expected.push(`${rule} ${twin.uid}`)
    place += withTwin ? 2 : 1
  }
  return { rows: changed, broken }
}

describe('a generated fleet', () => {
  it('of clean resources breaks no rule', async () => {
    const fleet = cleanFleet(40, 12, 2)
    await using fixture = await openFleetFixture({ fleet, harness: { labels: { env: 'prod' } } })
    expect(activeLines(await fixture.audit({ policy }))).toEqual([])
  })

  it('that breaks every rule has exactly the expected violations', async () => {
    const fleet = cleanFleet(60, 20, 2 + Object.keys(projectBreaks).length)
    const [outgoing, incoming, ...others] = fleet.projects()
    if (outgoing === undefined || incoming === undefined) throw new Error('the fleet has no two projects')
    const expected: string[] = []

    changeData(fleet, outgoing.uid, (data): ProjectData => {
      const endpoints = breakRows(data.endpoints, endpointBreaks, expected)
      const used = new Map(data.subscriptions.map((row) => [row.endpoint_id, row]))
      const of = (rule: string) => used.get(endpoints.broken.get(rule)?.uid ?? '')
      for (const rule of ['endpoint/paused-long']) {
        expected.push(`subscription/target-not-active ${of(rule)?.uid}`)
      }
      // A subscription loses its endpoint, and that one its only subscription.
      const lost = of('endpoint/orphan')?.uid ?? ''
      expected.push(`subscription/target-missing ${lost}`)
      const subscriptions = data.subscriptions.map((row) => (row.uid === lost ? { ...row, endpoint_id: null } : row))
      return { endpoints: endpoints.rows, subscriptions, sources: [] }
    })

    changeData(fleet, incoming.uid, (data): ProjectData => {
      const sources = breakRows(data.sources, sourceBreaks, expected)
      const { rows } = breakRows(data.subscriptions, subscriptionBreaks, expected)
      const last = at(data.subscriptions, -1)
      const copy = { ...last, uid: `${last.uid.slice(0, -1)}Z` }
      expected.push(`subscription/duplicate ${last.uid}`, `subscription/duplicate ${copy.uid}`)
      return { ...data, sources: sources.rows, subscriptions: [...rows.slice(0, -1), copy, last] }
    })

    for (const [index, [rule, change]] of Object.entries(projectBreaks).entries()) {
      const { uid, config } = at(others, index)
      changeData(fleet, uid, () => ({ endpoints: [], subscriptions: [], sources: [] }))
      updateProject(fleet, uid, change(config))
      expected.push(`${rule} ${uid}`)
    }

    // The release that shows every field.
    const service = { release: 'later' } as const
    await using fixture = await openFleetFixture({
      fleet,
      service,
      harness: { pageSize: 100, labels: { env: 'prod' } },
    })
    await fixture.audit({ policy })
    fixture.harness.advance(2 * dayMs)
    expect(activeLines(await fixture.audit())).toEqual([...new Set(expected)].sort())
    const tried = new Set(expected.map((line) => line.split(' ')[0]))
    const left = rules.map(({ id }) => id).filter((id) => !tried.has(id))
    expect(left.filter((id) => !Object.keys(elsewhere).some((prefix) => id.startsWith(prefix)))).toEqual([])
  })

  it('that was just created has no violation above info', async () => {
    const fleet = cleanFleet(0, 0, 1)
    const [project] = fleet.projects()
    if (project === undefined) throw new Error('the fleet has no project')
    // What the service fills in when a project is made and nothing is said.
    updateProject(fleet, project.uid, {
      replay_attacks_prevention_enabled: false,
      disable_endpoint: false,
      ssl: { enforce_secure_endpoints: false },
      ratelimit: { count: 1000, duration: 60 },
      strategy: { type: 'linear', duration: 100, retry_count: 10 },
    })
    const endpoint = createEndpoint(fleet, project.uid, { name: 'first', url: 'https://hooks.example.com/first' })
    createSubscription(fleet, project.uid, { endpoint })
    await using fixture = await openFleetFixture({ fleet, harness: { labels: { env: 'prod' } } })
    const { violations } = await fixture.audit({
      policy: policyOf('extends: [all]\nrules: { service/release-vulnerable: off }'),
    })
    expect(violations.filter(({ severity }) => isAtLeast(severity, 'low'))).toEqual([])
    expect(violations.length).toBeGreaterThan(3)
  })

  it('that dynamic events feed has nothing at medium or above by default, on a current release', async () => {
    const fleet = cleanFleet(0, 0, 1)
    const { uid } = at(fleet.projects(), 0)
    updateProject(fleet, uid, {
      ssl: { enforce_secure_endpoints: false },
      strategy: { type: 'linear', duration: 100, retry_count: 10 },
      disable_endpoint: false,
    })
    for (const tenant of ['a', 'b', 'c']) {
      const endpoint = createEndpoint(fleet, uid, { name: `endpoint-${tenant}`, url: `https://${tenant}.hooks.dev/in` })
      createSubscription(fleet, uid, { endpoint })
    }
    // As `process_dynamic_event_creation.go` of v26.7.3 makes them.
    changeData(fleet, uid, (data) => ({
      ...data,
      endpoints: data.endpoints.map((row) => ({
        ...row,
        name: `endpoint-${row.uid}`,
        support_email: '',
        owner_id: '',
        rate_limit: 0,
        rate_limit_duration: 0,
        authentication: null,
        http_timeout: 10,
      })),
      subscriptions: data.subscriptions.map((row) => ({
        ...row,
        name: `dynamic-subscription-${row.endpoint_id}`,
        filter_config: { ...row.filter_config, event_types: ['order.created'] },
        retry_config: { type: 'linear', duration: 10, retry_count: 3 },
        alert_config: { count: 4, threshold: '1h' },
        rate_limit_config: { count: 1000, duration: 60 },
      })),
    }))
    await using fixture = await openFleetFixture({ fleet, service: { release: 'later' } })
    const { violations } = await fixture.audit({ policy: policyOf('extends: [recommended]') })
    expect(violations.filter(({ severity }) => isAtLeast(severity, 'medium'))).toEqual([])
    expect(violations.map(({ rule }) => rule)).toContain('project/tls-not-enforced')
  })
})
