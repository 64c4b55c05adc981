import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Report } from '../../src/model/report.ts'
import { notHttp } from '../service/not-http.ts'
import { type AuditTurn, policyOf } from './audit-harness.ts'
import { type FleetFixture, type FleetFixtureOptions, openFleetFixture } from './fleet-fixture.ts'

/** Passes requests on to a service, but answers those of one project that match with something that is not HTTP. */
async function openGate({ service, uidOf }: FleetFixture) {
  let broken: { readonly path: RegExp; readonly reply: (typeof notHttp)[string] } | undefined
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (broken !== undefined && path.includes(uidOf('partner-intake')) && broken.path.test(path)) {
      request.socket.on('error', () => {})
      broken.reply?.(request.socket)
      return
    }
    const { port } = new URL(service.url)
    const onward = forward({ port, path, method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    break: (path: RegExp, reply: (typeof notHttp)[string]) => {
      broken = { path, reply }
    },
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

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
    using gate = await openGate(fixture)
    const names = Object.fromEntries(fixture.fleet.projects().map(({ name, uid }) => [name, uid]))
    expect(Object.keys(names)).toContain('partner-intake')
    if (place.isEmpty)
      fixture.fleet.replace(fixture.uidOf('partner-intake'), {
        data: { endpoints: [], sources: [], subscriptions: [] },
      })
    const others = Object.keys(names).filter((name) => name !== 'partner-intake')
    const turn = { ...place.turn, urls: { 'partner-intake': gate.url } }
    for (const [title, reply] of Object.entries(notHttp)) {
      gate.break(place.path, reply)
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
