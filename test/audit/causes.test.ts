import { describe, expect, it } from 'vitest'
import { changeEndpoint, deleteEndpoint, replaceSecret } from '../../src/demo/edits.ts'
import { createRandom, type Random } from '../../src/demo/random.ts'
import type { EndpointRow } from '../../src/demo/rows.ts'
import type { Report } from '../../src/model/report.ts'
import { command } from '../cli/run-in-process.ts'
import { sendTo, valuesFrom } from '../repair/send-rows.ts'
import { tries } from '../thoroughness.ts'
import { policyOf } from './audit-harness.ts'
import { type FleetFixture, openFleetFixture } from './fleet-fixture.ts'

const policy = policyOf(`
extends: []
rules:
  drift/authentication-lost: {}
  endpoint/inactive: {}
custom:
  - id: acme/as-agreed
    kind: endpoint
    assert: resource.http_timeout == 30 && resource.description == 'orders' && resource.slack_webhook_url != ''
    severity: low
    message: not as agreed
`)

/** The same in every endpoint before; a mass edit changes one member of it. */
const settings = {
  authentication: { type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value: 'kJ7dQ2mXv9tRz4Lw' } },
  http_timeout: 30,
  description: 'orders',
  slack_webhook_url: 'https://hooks.slack.example.com/services/one',
  status: 'active',
} satisfies Partial<EndpointRow>

const massEdits: readonly (readonly [path: string, Partial<EndpointRow>])[] = [
  ['/authentication', { authentication: null }],
  ['/http_timeout', { http_timeout: 97 }],
  ['/description', { description: 'see the wiki' }],
  ['/slack_webhook_url', { slack_webhook_url: '' }],
  ['/status', { status: 'inactive' }],
]

/** Sends what `hookdrift restore --cause` prints. */
async function putBack(fixture: FleetFixture, id: string): Promise<void> {
  const { harness } = fixture
  const words = ['restore', '--cause', id, '--format', 'json', '--limit', 'all', '--history', harness.file]
  const { code, stdout, stderr } = await command(words, { cwd: harness.directory })
  expect([code, stderr]).toEqual([0, ''])
  const { rows, left_to_you } = JSON.parse(stdout)
  expect(left_to_you).toEqual([])
  expect(new Set(await sendTo(fixture, rows, valuesFrom(rows, settings)))).toEqual(new Set([202]))
}

interface Edited {
  readonly project: string
  readonly uid: string
}

/** Every endpoint of the fleet, all set alike. */
async function openAlike(random: Random): Promise<{ readonly fixture: FleetFixture; readonly endpoints: Edited[] }> {
  const fixture = await openFleetFixture({
    fleet: { projects: 1 + random.below(3), endpointsPerProject: 6 + random.below(10), seed: random.hex(8) },
    // It takes requests that activate an endpoint.
    service: { release: 'later' },
  })
  const endpoints = fixture.fleet
    .projects()
    .flatMap(({ uid: project }) => fixture.fleet.open(project).endpoints.map(({ uid }) => ({ project, uid })))
  for (const endpoint of endpoints) change(fixture, endpoint, settings)
  await fixture.audit({ policy })
  return { fixture, endpoints }
}

function change({ fleet }: FleetFixture, endpoint: Edited, to: Partial<EndpointRow>): void {
  changeEndpoint(fleet, endpoint, (row) => ({ ...row, ...to }))
}

/** `path: uid uid`, of causes that hit more than one resource. */
function shared({ causes }: Report): string[] {
  return causes
    .filter(({ resources }) => resources > 1)
    .map(({ fields, affected }) =>
      lineOf(
        fields.map(({ path }) => path),
        affected.map(({ uid }) => uid),
      ),
    )
    .sort()
}

function lineOf(paths: readonly string[], uids: readonly string[]): string {
  return `${paths.toSorted().join(' ')}: ${uids.toSorted().join(' ')}`
}

describe('Causes of random fleets', () => {
  const fleets = Array.from({ length: tries(40, { locally: 8 }) }, (_, seed) => seed)

  it.each(fleets)('fleet %i: every mass edit is one cause with exactly its resources', async (seed) => {
    const random = createRandom(`causes ${seed}`)
    const { fixture, endpoints } = await openAlike(random)
    await using _ = fixture
    const edits = random.shuffled(massEdits).slice(0, 1 + random.below(5))
    const expected = new Map<string, string[]>()
    for (const [path, to] of edits) {
      const hit = random.shuffled(endpoints).slice(0, 2 + random.below(endpoints.length - 1))
      for (const endpoint of hit) change(fixture, endpoint, to)
      // Edits of the same resources look like one update.
      const uids = hit
        .map(({ uid }) => uid)
        .sort()
        .join(' ')
      expected.set(uids, [...(expected.get(uids) ?? []), path])
    }
    // Noise: fields that no mass edit has, each with a value of its own, and up to two removals.
    for (const endpoint of random.shuffled(endpoints).slice(0, random.below(4))) {
      change(fixture, endpoint, { name: `renamed ${endpoint.uid}` })
    }
    const report = await fixture.audit({ policy })
    expect(shared(report)).toEqual([...expected].map(([uids, paths]) => lineOf(paths, uids.split(' '))).sort())
    if (seed % 4 !== 0) return
    for (const { id, resources } of report.causes) {
      if (resources < 2) continue
      await putBack(fixture, id)
      // The next request has all fields as the last scan saw them.
      await fixture.audit()
    }
    const rows = fixture.fleet.projects().flatMap(({ uid }) => fixture.fleet.open(uid).endpoints)
    for (const row of rows) expect(row).toMatchObject(settings)
    const { causes, violations } = await fixture.audit()
    expect(causes.filter(({ severity }) => severity !== null)).toEqual([])
    expect(violations.filter(({ state }) => state !== 'resolved')).toEqual([])
  })
})

describe('An update of one resource', () => {
  it('is a cause where it changed several fields, and not where it replaced a secret', async () => {
    const { fixture, endpoints } = await openAlike(createRandom('one resource'))
    await using _ = fixture
    const [first, second] = endpoints
    if (first === undefined || second === undefined) throw new Error('too few endpoints')
    change(fixture, first, { http_timeout: 31, description: 'payments' })
    replaceSecret(fixture.fleet, second)
    const { causes, drift } = await fixture.audit({ policy })
    expect(drift).toHaveLength(2)
    expect(causes.map(({ affected, fields }) => [affected[0]?.uid, ...fields.map(({ path }) => path)])).toEqual([
      [first.uid, '/description', '/http_timeout'],
    ])
  })
})

describe('A cause over time', () => {
  it('keeps its id while it is open, and shrinks as its resources are mended', async () => {
    const random = createRandom('over time')
    const { fixture, endpoints } = await openAlike(random)
    await using _ = fixture
    const [first, second, third] = endpoints
    if (first === undefined || second === undefined || third === undefined) throw new Error('too few endpoints')
    const { authentication } = settings
    for (const endpoint of [first, second, third]) change(fixture, endpoint, { authentication: null })
    const found = await fixture.audit({ policy })
    const [cause] = found.causes
    expect(found.causes).toHaveLength(1)
    expect(cause).toMatchObject({
      change: 'modified',
      kind: 'endpoint',
      path: '/authentication',
      after: null,
      resources: 3,
      severity: 'high',
      first_run: 2,
    })
    expect(cause?.violations).toHaveLength(3)

    change(fixture, first, { authentication })
    const { causes: afterOne } = await fixture.audit()
    expect(afterOne.map(({ id, resources }) => [id, resources])).toEqual([[cause?.id, 2]])

    // What is left of it is alone, and still the same cause. A resource that is gone needs no mending.
    deleteEndpoint(fixture.fleet, second)
    const { causes: afterTwo } = await fixture.audit()
    expect(afterTwo.map(({ id, affected }) => [id, affected.map(({ uid }) => uid)])).toEqual([[cause?.id, [third.uid]]])

    change(fixture, third, { authentication })
    const { causes: mended } = await fixture.audit()
    expect(mended).toEqual([])
  })
})
