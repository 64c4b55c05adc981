// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { beforeAll, describe, expect, it } from 'vitest'
import type { Patience } from '../../src/gateway/service/settings.ts'
import type { Report } from '../../src/model/report.ts'
import { describeFailures, groupFailures } from '../../src/report/describe-failures.ts'
import { closedPort, json, plain, tls } from '../service/front-ends.ts'
import { answerLookups } from '../service/name-server.ts'
import { makeCertificates } from '../service/service-certificates.ts'
import { openAuditHarness } from './audit-harness.ts'
import { at, openFleetFixture } from './fleet-fixture.ts'

const origin = '${ACME_KEY} at hookdrift.yaml:5:10 with 41 characters beginning with CO.demo'
const place = '${ACME_URL} at hookdrift.yaml:4:10'
const projects = { billing: 'p1', orders: 'p2', payments: 'p3' }

/** What an audit of three projects says of a service, and how long it took on its clock. */
async function audit(url: string, patience: Patience = 'short', ca?: string) {
  await using harness = openAuditHarness({ projects, key: 'CO.notarealkeymask.not-a-real-key-at-all' })
  const startedAt = harness.clock.now() + 60_000
  const report = await harness.audit({
    url,
    patience,
    keyOrigin: origin,
    urlOrigin: place,
    ...(ca !== undefined && { ca }),
  })
  return { report, messages: messagesOf(report), seconds: (harness.clock.now() - startedAt) / 1000 }
}

function messagesOf({ coverage, projects }: Report): string[] {
  return groupFailures(coverage, projects).map((group) => {
    const { headline, facts } = describeFailures(group)
    return [headline, ...facts.map(({ label, text }) => `${label}: ${text}`)].join('\n')
  })
}

beforeAll(makeCertificates)

/** No port, request or duration that differs from run to run. */
function steady(text: string): string {
  return text.replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1:PORT')
}

const everywhere = 'cost: 12 listings of 3 projects: acme/billing, acme/orders, acme/payments; nothing seen'

describe('one cause is one message, without a wait for what waiting does not mend', () => {
  it('a refused key: one request is enough for all projects', async () => {
    let requests = 0
    const url = await plain((...exchange) => {
      requests++
      json(401, { status: false, message: 'authorization failed' })(...exchange)
    })
    const { messages, seconds, report } = await audit(url)
    expect(messages.map(steady)).toEqual([
      [
        'acme: 401 unauthorized: the key is wrong, expired or revoked, or the service\'s database is down; the service says "authorization failed"',
        'asked: GET http://127.0.0.1:PORT/api/v1/projects/p1 (request id r1)',
        `key: ${origin}`,
        everywhere,
        'next: Check the key where it is configured, or make a new one. If it worked before, check the service first.',
      ].join('\n'),
    ])
    expect({ requests, seconds }).toEqual({ requests: 1, seconds: 0 })
    expect(new Set(report.coverage.map(({ status, cause }) => `${status} ${cause}`))).toEqual(
      new Set(['failed refused_key']),
    )
  })

  it('a refused key with the patience of a worker: tried for some seconds, then once for each walk', async () => {
    let requests = 0
    const url = await plain((...exchange) => {
      requests++
      json(401, { status: false, message: 'authorization failed' })(...exchange)
    })
    const { messages, seconds } = await audit(url, 'long')
    expect(messages.length).toBe(1)
    expect(requests).toBeGreaterThanOrEqual(4 + 11)
    // Two projects at once find out by themselves; everyone else asks once.
    expect(requests).toBeLessThanOrEqual(2 * 4 + 10)
    expect(seconds).toBeGreaterThan(5)
  })

  it('a key that was accepted before in the run is tried again: that is an outage', async () => {
    await using fixture = await openFleetFixture({ fleet: { projects: 1, incomingEvery: 0, endpointsPerProject: 2 } })
    const refused = { status: false, message: 'authorization failed' }
    fixture.service.failNext({ how: 'status', status: 401, body: JSON.stringify(refused), path: /endpoints/, times: 2 })
    const report = await fixture.audit({ patience: 'short' })
    expect(report.coverage.map(({ status, retries }) => [status, retries])).toEqual([
      ['complete', 0],
      ['complete', 2],
      ['complete', 0],
      ['complete', 0],
    ])
  })

  it('a host that does not exist, of thirty projects with a key each', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `project-${index}`)
    const fleet = Object.fromEntries(names.map((name, index) => [name, `p${index}`]))
    // The name server says so once, and leaves the questions of the projects next to it without an answer.
    const lookups = answerLookups('ENOTFOUND', null)
    await using harness = openAuditHarness({ projects: fleet, key: 'not-a-real-key', concurrency: 4 })
    const startedAt = harness.clock.now() + 60_000
    const keys = Object.fromEntries(names.map((name) => [name, `not-a-real-key-of-${name}`]))
    const timeoutAfter = () => new AbortController().signal
    const url = 'http://no-such-host.invalid'
    const report = await harness.audit({ url, keys, timeoutAfter, patience: 'short', urlOrigin: place })
    expect(messagesOf(report).map((message) => message.split('\n', 1)[0])).toEqual(['acme: host name not found'])
    expect(harness.clock.now() - startedAt).toBeLessThanOrEqual(5_000)
    expect(lookups.length).toBeLessThanOrEqual(4)
  })

  const certificate = (why: string) => `the certificate of the service is not accepted (${why}`
  const correct = 'Correct the certificate at the service, or `url` and `ca_file` in the configuration.'
  const correctUrl = 'Correct `url` of the service in the configuration.'
  const untrusted = async () => ({ url: (await tls('selfSigned')).url })

  it.each<readonly [string, () => Promise<{ url: string; ca?: string }>, string, string, boolean]>([
    [
      'a host that does not exist',
      async () => {
        answerLookups('ENOTFOUND')
        return { url: 'https://no-such-host.invalid' }
      },
      'host name not found',
      'Check the host name in `url`, and the name server of this machine.',
      false,
    ],
    [
      'a certificate that is self-signed',
      untrusted,
      certificate('DEPTH_ZERO_SELF_SIGNED_CERT): it is self-signed: name the certificate of its authority in ca_file'),
      correct,
      false,
    ],
    [
      'a certificate that expired',
      () => tls('expired'),
      certificate('CERT_HAS_EXPIRED): it expired on 2021-01-01: renew it at the service'),
      correct,
      false,
    ],
    [
      'a certificate of another host',
      () => tls('other'),
      certificate(
        'ERR_TLS_CERT_ALTNAME_INVALID): it is for other.example and not for localhost: set url to a name that it is for',
      ),
      correct,
      false,
    ],
    [
      'https where http is spoken',
      async () => ({ url: (await plain(json(200, {}))).replace('http:', 'https:') }),
      'no TLS connection could be made (ERR_SSL_WRONG_VERSION_NUMBER): the port does not speak TLS; if it speaks plain http, set url: http://127.0.0.1:PORT',
      correctUrl,
      false,
    ],
    [
      'http where a redirect leads to https',
      async () => ({
        url: await plain(({ headers, url }, response) => {
          response.writeHead(301, { location: `https://${headers.host}${url}` }).end()
        }),
      }),
      '301 moved permanently, a redirect to 127.0.0.1:PORT that was not followed because it would carry the key away: set url: https://127.0.0.1:PORT',
      correctUrl,
      false,
    ],
    [
      'a service that is down',
      async () => ({ url: `http://127.0.0.1:${await closedPort()}` }),
      'connection refused',
      'Check that the service runs and that this machine reaches it: curl -v http://127.0.0.1:PORT',
      true,
    ],
  ])('%s', async (_, open, what, next, isWaitedFor) => {
    const { url, ca } = await open()
    const { messages, seconds } = await audit(url, 'short', ca)
    const asked = `asked: GET ${steady(url)}/api/v1/projects/p1`
    expect(messages.map(steady)).toEqual([
      [`acme: ${what}`, asked, `url: ${place}`, everywhere, `next: ${next}`].join('\n'),
    ])
    expect(seconds > 0).toBe(isWaitedFor)
  })

  it.each([
    ['a server that hangs up', async () => (await tls('selfSigned')).url.replace('https:', 'http:')],
    [
      'a server that says so',
      () =>
        plain((_request, response) => {
          response
            .writeHead(400, { 'content-type': 'text/plain' })
            .end('Client sent an HTTP request to an HTTPS server.\n')
        }),
    ],
  ])('http where https is spoken: %s', async (_, open) => {
    const { messages, seconds } = await audit(await open())
    expect(messages.length).toBe(1)
    expect(steady(at(messages, 0))).toMatch(/, the port speaks TLS: set url: https:\/\/(127\.0\.0\.1|localhost):PORT\n/)
    expect(seconds).toBe(0)
  })

  it('a service that is unavailable: tried again within the budget', async () => {
    const { messages, seconds } = await audit(await plain(json(503, { status: false, message: 'later' })))
    expect(messages.length).toBe(1)
    expect(at(messages, 0)).toMatch(/^acme: 503 service unavailable; the service says "later"\nasked: GET http/)
    expect(seconds).toBeLessThanOrEqual(180)
  })

  it('a page of HTML, and a path that nothing answers', async () => {
    const html = await plain((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>')
    })
    const { messages, seconds } = await audit(html)
    expect(messages.length).toBe(1)
    expect(steady(at(messages, 0))).toContain(
      'acme: 200 ok with text/html instead of JSON: check the base path\nasked: GET http://127.0.0.1:PORT/api/v1/projects/p1/endpoints\n',
    )
    expect(at(messages, 0)).toContain('next: Compare `url` with the address that people use, without /api/v1')
    expect(seconds).toBe(0)
  })

  it('a refusal by something in front: the key is not blamed', async () => {
    const url = await plain((_request, response) => {
      response.writeHead(403, { 'content-type': 'text/plain', server: 'istio-envoy' }).end('RBAC: access denied')
    })
    const { messages, seconds } = await audit(url)
    expect(messages.map(steady)).toEqual([
      [
        'acme: 403 forbidden with text/plain, server istio-envoy: something in front of the service refuses this request; it says "RBAC: access denied"',
        'asked: GET http://127.0.0.1:PORT/api/v1/projects/p1',
        `url: ${place}`,
        everywhere,
        'next: Have what answered let these requests and their header `Authorization` through: `hookdrift docs connect-a-service#get-through-networks`.',
      ].join('\n'),
    ])
    expect(seconds).toBe(0)
  })

  it('a key without the right', async () => {
    const { messages, seconds } = await audit(await plain(json(403, { status: false, message: 'forbidden' })))
    expect(messages.length).toBe(1)
    expect(at(messages, 0)).toContain('acme: 403 forbidden: the key is not allowed to do this')
    expect(at(messages, 0)).toContain(`key: ${origin}`)
    expect(seconds).toBe(0)
  })
})

describe('the wrong project', () => {
  it('of a key: names the project that the key belongs to', async () => {
    await using fixture = await openFleetFixture({ fleet: { projects: 2, incomingEvery: 0, endpointsPerProject: 2 } })
    const [first, second] = [at(fleetProjects(fixture), 0), at(fleetProjects(fixture), 1)]
    const report = await fixture.audit({ keys: { [first.name]: second.key }, keyOrigin: origin, patience: 'short' })
    const messages = messagesOf(report)
    expect(messages.length).toBe(1)
    expect(at(messages, 0)).toContain(`the key belongs to "${second.name}", ${second.uid}`)
    expect(at(messages, 0)).toContain(`key: ${origin}`)
    expect(at(messages, 0)).toContain('next: Use a personal key for all projects, or give each project its own')
  })

  it('of a key, where the service does not show projects: names its id', async () => {
    await using fixture = await openFleetFixture({ fleet: { projects: 2, incomingEvery: 0, endpointsPerProject: 2 } })
    const [first, second] = [at(fleetProjects(fixture), 0), at(fleetProjects(fixture), 1)]
    const turn = { keys: { [first.name]: second.key }, listings: { project: 'off' } } as const
    const messages = messagesOf(await fixture.audit(turn))
    expect(messages.length).toBe(1)
    expect(at(messages, 0)).toContain(`an item belongs to another project, ${second.uid}: the key is not one for this`)
  })

  it('in the configuration: one message, although listings differ in its case', async () => {
    await using fixture = await openFleetFixture({
      fleet: { projects: 1, incomingEvery: 0, endpointsPerProject: 2 },
      harness: { projects: { payments: '01M00000000000000000000000' } },
    })
    const messages = messagesOf(await fixture.audit({ keyOrigin: origin, patience: 'short' }))
    expect(messages.length).toBe(1)
    expect(at(messages, 0)).toContain('the project does not exist, or the key may not see it')
    expect(at(messages, 0)).toContain(
      'next: Check that the project was not deleted, that its id is the one in its settings',
    )
  })
})

function fleetProjects({ fleet }: Awaited<ReturnType<typeof openFleetFixture>>) {
  return fleet.projects()
}
