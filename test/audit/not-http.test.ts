import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { openGate } from '../service/not-http.ts'
import { notHttp } from '../service/not-http-replies.ts'
import { type AuditTurn, policyOf } from './audit-harness.ts'
import { type FleetFixtureOptions, openFleetFixture } from './fleet-fixture.ts'

const listings = ['project', 'endpoints', 'sources', 'subscriptions'] as const
const whole = Object.fromEntries(listings.map((listing) => [listing, 'complete']))

const probed = policyOf(
  `
extends: []
probes:
  - { name: body, match: { name: "*" }, function: body, payload: ./payload.json, type: body }
`,
  { '/etc/payload.json': '{"a": 1}' },
)

interface Place {
  readonly path: RegExp
  readonly statuses: Readonly<Record<string, string>>
  readonly exit: number
  readonly turn?: Partial<AuditTurn>
  readonly isEmpty?: true
}

const places: Readonly<Record<string, Place>> = {
  'the project': { path: /\/projects\/\w+$/, statuses: { ...whole, project: 'failed' }, exit: 3 },
  'the first page': { path: /\/endpoints\?perPage=\d+$/, statuses: { ...whole, endpoints: 'failed' }, exit: 3 },
  'the second page': { path: /\/endpoints\?.*cursor/, statuses: { ...whole, endpoints: 'partial' }, exit: 3 },
  'the sources': { path: /\/sources\?/, statuses: { ...whole, sources: 'failed' }, exit: 3 },
  'the subscriptions': { path: /\/subscriptions\?/, statuses: { ...whole, subscriptions: 'failed' }, exit: 3 },
  'the question whose key it is': {
    path: /\/projects\/\w+$/,
    statuses: { endpoints: 'failed', sources: 'failed', subscriptions: 'failed' },
    exit: 3,
    turn: { listings: { project: 'off' } },
    isEmpty: true,
  },
  // Probes that could not run change no exit code.
  'the test of a function': { path: /test_function/, statuses: whole, exit: 0, turn: { policy: probed } },
}

const options: FleetFixtureOptions = {
  fleet: { projects: 3, incomingEvery: 3, endpointsPerProject: 3, sourcesPerProject: 2 },
  harness: { pageSize: 2, limits: { retries: 1 } },
}

const statusesOf = ({ coverage }: Report, project: string) =>
  Object.fromEntries(
    coverage.filter((walk) => walk.project === project).map(({ listing, status }) => [listing, status]),
  )

describe('an answer that is not HTTP', () => {
  it.each(Object.entries(places))('to %s fails that walk alone', async (_title, place) => {
    await using fixture = await openFleetFixture(options)
    const broken = fixture.uidOf('partner-intake')
    let current: (typeof notHttp)[string] | undefined
    const gate = await openGate(fixture.service.url, (path) =>
      path.includes(broken) && place.path.test(path) ? current : undefined,
    )
    const names = Object.fromEntries(fixture.fleet.projects().map(({ name, uid }) => [name, uid]))
    expect(Object.keys(names)).toContain('partner-intake')
    if (place.isEmpty) fixture.fleet.replace(broken, { data: { endpoints: [], sources: [], subscriptions: [] } })
    const others = Object.keys(names).filter((name) => name !== 'partner-intake')
    const turn = { ...place.turn, urls: { 'partner-intake': gate } }
    for (const [title, reply] of Object.entries(notHttp)) {
      current = reply
      const report = await fixture.audit(turn)
      const gaps = report.coverage.filter(({ status }) => status !== 'complete')
      expect({ title, exit: report.verdict.exit_code, broken: statusesOf(report, 'acme/partner-intake') }).toEqual({
        title,
        exit: place.exit,
        broken: place.statuses,
      })
      for (const name of others)
        expect(statusesOf(report, `acme/${name}`)).toEqual(
          place.turn?.listings ? { ...whole, project: undefined } : whole,
        )
      for (const { reason } of gaps) expect(reason).toMatch(/\w{4}/)
      expect(report.notices.some(({ text }) => text.startsWith('the probe body did not run'))).toBe(place.exit === 0)
      expect(report.drift).toEqual([])
    }
  })
})
