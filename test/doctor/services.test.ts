// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { at } from '../audit/fleet-fixture.ts'
import { openDirectory } from '../cli/start-process.ts'
import { closedPort, json, plain, tls } from '../service/front-ends.ts'
import { makeCertificates } from '../service/service-certificates.ts'
import { acmeKey, directoryFor, examine } from './doctor-fixture.ts'

beforeAll(makeCertificates)

/** A healthy fleet of two projects and what `doctor` needs to see it. */
async function aFleet(options: Parameters<typeof startSimulatedService>[1] = {}) {
  const fleet = generateFleet({ projects: 2, endpointsPerProject: 3 })
  const service = await startSimulatedService(fleet, options)
  const projects = Object.fromEntries(fleet.projects().map(({ uid, name }) => [uid, name]))
  return { fleet, service, projects, env: { ACME_KEY: fleet.personalKey } }
}

/** What `doctor` finds of a service at this URL. */
async function examineUrl(url: string, options: Parameters<typeof directoryFor>[1] = {}) {
  using directory = directoryFor(url, options)
  return await examine(directory.path, { ACME_KEY: acmeKey })
}

const correctUrl = 'Correct `url` of the service in the configuration.'
const checkKey =
  'Check the key where it is configured, or make a new one. If it worked before, check the service first.'

describe('a service that can be audited', () => {
  it('passes each check, and gets nothing but GET requests', async () => {
    const { service, projects, env } = await aFleet()
    await using _ = service
    using directory = directoryFor(service.url, { projects })
    const { code, rows } = await examine(directory.path, env)
    const names = Object.values(projects).join(', ')
    expect(code).toBe(0)
    expect(
      rows.filter((row) => row.service === 'acme').map(({ check, status, detail }) => `${check} ${status} ${detail}`),
    ).toEqual([
      'dns ok 127.0.0.1 is an address',
      expect.stringMatching(/^tcp ok 127\.0\.0\.1:\d+ accepts connections, \d+ ms$/),
      'tls skipped the connection is plain http',
      'clock ok the clocks agree',
      'release ok calls itself Convoy v26.2.2, answers in interface version 2025-11-24',
      'release ok v25.11.1 or later, below v26.6.1 (inferred from the fields that its answers show)',
      `base-path ok ${service.url} answers under /api/v1 as the API does`,
      expect.stringMatching(
        /^key ok \$\{ACME_KEY\} at hookdrift\.yaml:4:10 with \d+ characters beginning with CO\.demo: accepted, a personal key$/,
      ),
      'page-size ok pages of 10 resources are granted; rate limit not named',
      `projects ok 2 of 2 found: ${names}`,
    ])
    expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']))
    expect(service.requests[0]?.headers.authorization).toBe(undefined)
  })

  it('and that the environment configures is described by its variables: no file is named', async () => {
    const { service, projects, env } = await aFleet()
    await using _ = service
    using directory = openDirectory()
    const { of } = await examine(directory.path, {
      HOOKDRIFT_URL: service.url,
      HOOKDRIFT_KEY: env.ACME_KEY,
      HOOKDRIFT_PROJECTS: `one=${Object.keys(projects)[0]},gone=nope`,
    })
    expect(of('key').join()).toMatch(/^ok \$\{HOOKDRIFT_KEY\} with \d+ characters/)
    expect(of('projects')[1]).toMatch(/^fail gone: GET /)
  })

  it('and that does not show projects is asked for endpoints', async () => {
    const { service, projects, env } = await aFleet({
      offers: { sources: false, project: false, eventTypes: false, projects: false, testFunction: false },
    })
    await using _ = service
    using directory = directoryFor(service.url, { projects })
    const { code, of } = await examine(directory.path, env)
    expect(code).toBe(0)
    expect(of('projects')).toEqual([expect.stringMatching(/^ok 2 of 2 found/)])
    expect(of('key')).toEqual([expect.stringMatching(/accepted; the service does not show whose it is$/)])
  })

  it('and cuts pages, is of an unknown release, or has another time, gets a warning', async () => {
    const { service, projects, env } = await aFleet({ maxPageSize: 4, release: 'older' })
    await using _ = service
    const greet = await plain((request, response) => {
      if (request.url !== '/healthz') {
        response.writeHead(302, { location: `${service.url}${request.url}` }).end()
        return
      }
      response.writeHead(200, { 'content-type': 'application/json', date: 'Sat, 21 Nov 2020 00:00:00 GMT' })
      response.end(JSON.stringify({ status: true, message: 'Convoy v24.1.0' }))
    })
    using directory = directoryFor(service.url, { projects })
    expect((await examine(directory.path, env)).of('page-size')).toEqual([
      'warn pages of 10 resources are cut to 4; rate limit not named → Set page_size: 4 for this service.',
    ])
    const { of } = await examineUrl(greet)
    expect(of('clock')).toEqual([
      expect.stringMatching(/^warn the clock of the service is \d+ s behind this one → Turn/),
    ])
    expect(of('release')).toEqual([
      'warn calls itself Convoy v24.1.0 → hookdrift was tested against v25.6 to v26.7: compare the first report with the dashboard.',
    ])
  })

  it('with a certificate that ends soon gets a warning', async () => {
    const { url, ca } = await tls('ending')
    using directory = directoryFor(url, { more: '    ca_file: ./ca.pem\n' })
    directory.write('ca.pem', ca)
    const { of } = await examine(directory.path, { ACME_KEY: acmeKey })
    expect(of('tls')).toEqual([
      expect.stringMatching(
        /^warn the certificate is accepted, and valid until \d{4}-\d\d-\d\d \((?:9|10) days\) → Renew the certificate at the service\.$/,
      ),
    ])
  })
})

describe('the key', () => {
  it('that is wrong is refused: one row says where it is configured', async () => {
    const { service, projects } = await aFleet()
    await using _ = service
    using directory = directoryFor(service.url, { projects })
    const { code, failed, of } = await examine(directory.path, { ACME_KEY: acmeKey })
    expect({ code, failed }).toEqual({ code: 3, failed: ['key'] })
    expect(of('key')).toEqual([
      `fail \${ACME_KEY} at hookdrift.yaml:4:10 with ${acmeKey.length} characters beginning with CO.nota: ` +
        "401 unauthorized: the key is wrong, expired or revoked, or the service's database is down; " +
        `the service says "authorization failed" → ${checkKey}`,
    ])
    expect(of('projects')).toEqual([`skipped ${Object.values(projects).join(', ')}: see key`])
  })

  it.each([
    [{}, /^fail hookdrift\.yaml:4:10: the environment variable ACME_KEY is not set → Set the variable/],
    [
      { ACME_KEY: '' },
      /^fail hookdrift\.yaml:4:10: key is empty once `\$\{ACME_KEY\}` is filled in.* → Set the variable/,
    ],
    [
      { ACME_KEY: `"${acmeKey}"` },
      /^fail hookdrift\.yaml:4:10: the key has quotes around it in \$\{ACME_KEY\}: they would be sent, remove them → Correct it there/,
    ],
    [{ ACME_KEY: `Bearer ${acmeKey}` }, /^fail hookdrift\.yaml:4:10: .*leave `Bearer` out/],
  ])(
    'that cannot be sent is a mistake of the configuration, and the service is examined without it',
    async (env, fault) => {
      const { service, projects } = await aFleet()
      await using _ = service
      using directory = directoryFor(service.url, { projects })
      const { code, failed, of } = await examine(directory.path, env)
      expect({ code, failed }).toEqual({ code: 2, failed: ['configuration'] })
      expect(of('configuration')).toEqual([expect.stringMatching(fault)])
      expect(of('release')).toEqual([expect.stringMatching(/^ok calls itself Convoy/)])
      expect(of('key')).toEqual(['skipped there is no key: see configuration'])
      expect(service.requests.map(({ path }) => path)).toEqual(['/healthz'])
    },
  )

  it('that is refused is not accepted because the service fails for another project', async () => {
    const { service, projects } = await aFleet()
    await using _ = service
    const [first = ''] = Object.keys(projects)
    service.failNext({ how: 'status', status: 503, path: new RegExp(first), times: 9 })
    using directory = directoryFor(service.url, { projects })
    const { code, failed, of } = await examine(directory.path, { ACME_KEY: acmeKey })
    expect({ code, failed }).toEqual({ code: 3, failed: ['key', 'projects'] })
    expect(of('key')).toEqual([expect.stringMatching(/^fail .*: 401 unauthorized: the key is wrong/)])
    expect(of('projects').map((row) => row.slice(0, 7))).toEqual(['fail pa', 'skipped'])
  })

  it('of one project names that project, where it is asked for another', async () => {
    const { fleet, service, projects } = await aFleet()
    await using _ = service
    using directory = directoryFor(service.url, { projects })
    const { key, name, uid } = at(fleet.projects(), 0)
    const { code, failed, of } = await examine(directory.path, { ACME_KEY: key })
    expect({ code, failed }).toEqual({ code: 3, failed: ['projects'] })
    expect(of('key')).toEqual([expect.stringMatching(`: accepted, the key of one project: "${name}", ${uid}$`)])
    expect(of('projects')).toEqual([
      `ok 1 of 2 found: ${name}`,
      expect.stringMatching(`the key belongs to "${name}", ${uid}.* → Use a personal key for all projects`),
    ])
  })

  it('without the right is 403', async () => {
    const { code, failed, of } = await examineUrl(await plain(json(403, { status: false, message: 'forbidden' })))
    expect({ code, failed }).toEqual({ code: 3, failed: ['key'] })
    expect(of('key')).toEqual([
      expect.stringMatching(
        /: 403 forbidden: the key is not allowed to do this; the service says "forbidden" → Give the key's user the right/,
      ),
    ])
  })
})

const inFront: Record<string, [number, Record<string, string>, string, string]> = {
  'a mesh': [403, { 'content-type': 'text/plain' }, 'RBAC: access denied', 'with text/plain: something .* refuses'],
  'a login': [401, { 'content-type': 'text/html' }, '<title>Log in</title>', 'with text/html: something .* asks for'],
  'a load balancer': [
    502,
    { 'content-type': 'text/html' },
    '<title>502</title>',
    'with text/html: something .* answers',
  ],
  'a sign-on': [302, { location: 'https://login.example/' }, '', 'a redirect to login.example .* sends elsewhere'],
}

it.each(Object.entries(inFront))(
  'something in front of the service fails the base path, and says nothing of the key: %s',
  async (_title, [status, headers, body, what]) => {
    const url = await plain((_request, response) => response.writeHead(status, headers).end(body))
    const { code, failed, of } = await examineUrl(url)
    expect({ code, failed }).toEqual({ code: 3, failed: ['base-path'] })
    expect(of('base-path')).toEqual([
      expect.stringMatching(
        new RegExp(
          `^fail GET http://127.0.0.1:PORT/api/v1/projects/p1: ${status} .*${what}.* → Have what answered let`,
        ),
      ),
    ])
    expect(of('key')).toEqual([expect.stringMatching(/: the service did not check it$/)])
    expect(of('projects')).toEqual(['skipped billing, orders: see base-path'])
  },
)

describe('the projects', () => {
  it('that do not exist are named with their place', async () => {
    const { service, projects, env } = await aFleet()
    await using _ = service
    const [first = '', second = ''] = Object.values(projects)
    const ids = { [Object.keys(projects)[0] ?? '']: first, '01M00000000000000000000000': second }
    using directory = directoryFor(service.url, { projects: ids })
    const { code, failed, of } = await examine(directory.path, env)
    expect({ code, failed }).toEqual({ code: 3, failed: ['projects'] })
    expect(of('projects')).toEqual([
      `ok 1 of 2 found: ${first}`,
      expect.stringMatching(
        `^fail ${second} \\(hookdrift\\.yaml:9\\): GET http://127.0.0.1:PORT/api/v1/projects/01M0+: 400 bad request: the project does not exist, or the key may not see it.* → Check that the project was not deleted`,
      ),
    ])
  })

  it('of a service that is unavailable are one row', async () => {
    const { code, failed, of } = await examineUrl(await plain(json(503, { status: false, message: 'later' })))
    expect({ code, failed }).toEqual({ code: 3, failed: ['projects'] })
    expect(of('release')).toEqual([
      'warn the service does not name its release: /healthz answers 503 service unavailable → Check what answers at /healthz below `url`: the gateway names its release there.',
    ])
    expect(of('projects')).toEqual([
      'fail billing, orders: GET http://127.0.0.1:PORT/api/v1/projects/p1: 503 service unavailable; the service says "later" (request id r1) → Check the service and its log, then run the audit again.',
    ])
  })
})

it.each([
  ['a right that is missing', { how: 'status', status: 403, body: { status: false, message: 'forbidden' } }],
  ['a page of HTML', { how: 'html' }],
  ['a broken answer', { how: 'bad-json' }],
] as const)(
  'a fault of one project alone is not hidden by a key and a base path that work for the other: %s',
  async (_title, fault) => {
    const { service, projects, env } = await aFleet()
    await using _ = service
    const [, second = ''] = Object.keys(projects)
    service.failNext({ ...fault, path: new RegExp(second), times: 9 })
    using directory = directoryFor(service.url, { projects })
    const { code, failed, of } = await examine(directory.path, env)
    expect({ code, failed }).toEqual({ code: 3, failed: ['projects'] })
    expect(of('projects').map((row) => row.slice(0, 7))).toEqual([
      'ok 1 of',
      `fail ${at(Object.values(projects), 1).slice(0, 2)}`,
    ])
  },
)

describe('a page size', () => {
  it('is not to blame where no page can be read', async () => {
    const { service, projects, env } = await aFleet({ outage: 'lists-unreadable' })
    await using _ = service
    using directory = directoryFor(service.url, { projects })
    const { failed, of } = await examine(directory.path, env)
    expect(failed).toEqual(['page-size'])
    expect(of('page-size')).toEqual([expect.stringMatching(/^fail .* → Check the service and its log/)])
  })

  it.each([
    ['60000', 'rate limit 60000 (x-ratelimit-limit)'],
    ['100, 100;w=60', 'rate limit 100, 100;w=60 (x-ratelimit-limit)'],
    ['the key', 'rate limit not named'],
  ])('is next to the rate limit that answers name, and to nothing else in its place: %s', async (limit, expected) => {
    const url = await plain((request, response) => {
      const isKey = limit === 'the key'
      response.setHeader('x-ratelimit-limit', isKey ? `${request.headers.authorization}` : limit)
      // Good as the answer of a project and as a page.
      const data = { uid: 'p1', content: [], pagination: { per_page: 10, has_next_page: false, next_page_cursor: '' } }
      json(200, { status: true, data })(request, response)
    })
    const { of } = await examineUrl(url, { projects: { p1: 'billing' } })
    expect(of('page-size')).toEqual([`ok pages of 10 resources are granted; ${expected}`])
  })

  it('that the service refuses is named', async () => {
    const { service, projects, env } = await aFleet()
    await using _ = service
    service.failNext({
      how: 'status',
      status: 422,
      body: { status: false, message: 'perPage is too large' },
      path: /perPage=10/,
    })
    using directory = directoryFor(service.url, { projects })
    const { code, failed, of } = await examine(directory.path, env)
    expect({ code, failed }).toEqual({ code: 3, failed: ['page-size'] })
    expect(of('page-size')).toEqual([
      expect.stringMatching(
        /^fail a page of 10 resources: GET .*: 422 .*says "perPage is too large".* → Lower `page_size`/,
      ),
    ])
  })
})

describe('the connection', () => {
  it('to a host that does not exist fails at its name', async () => {
    const { code, failed, of } = await examineUrl('https://no-such-host.invalid')
    expect({ code, failed }).toEqual({ code: 3, failed: ['dns'] })
    expect(of('dns')).toEqual([
      'fail no-such-host.invalid: host name not found → Check the host name in `url`, and the name server of this machine.',
    ])
    expect(of('tcp')).toEqual(['skipped the host name cannot be resolved'])
    expect(of('projects')).toEqual(['skipped an earlier check failed'])
  })

  it('to a service that is down fails at its port', async () => {
    const { code, failed, of } = await examineUrl(`http://127.0.0.1:${await closedPort()}`)
    expect({ code, failed }).toEqual({ code: 3, failed: ['tcp'] })
    expect(of('tcp')).toEqual([
      'fail 127.0.0.1:PORT: connection refused → Check that the service runs and that this machine reaches it: curl -v http://127.0.0.1:PORT',
    ])
  })

  it.each([
    ['selfSigned', false, 'it is self-signed: name the certificate of its authority in ca_file'],
    ['expired', true, 'it expired on 2021-01-01: renew it at the service'],
    ['other', true, 'it is for other.example and not for localhost: set url to a name that it is for'],
    ['chained', false, 'the service sends it without that of "issuing", .* each intermediate certificate; .*'],
  ])('with a certificate that is not accepted fails at TLS: %s', async (name, isTrusted, why) => {
    const { url, ca } = await tls(name)
    using directory = directoryFor(url, { more: isTrusted ? '    ca_file: ./ca.pem\n' : '' })
    directory.write('ca.pem', ca)
    const { code, failed, of } = await examine(directory.path, { ACME_KEY: acmeKey })
    expect({ code, failed }).toEqual({ code: 3, failed: ['tls'] })
    expect(of('tls')).toEqual([
      expect.stringMatching(
        new RegExp(
          `^fail GET https://localhost:PORT/healthz: the certificate of the service is not accepted \\(\\w+\\): ${why} → Correct the certificate`,
        ),
      ),
    ])
  })

  const curl = 'Check that the service runs and that this machine reaches it: curl -v https://127.0.0.1:PORT'

  it.each([
    ['one that hangs up', (socket: Socket) => socket.destroy(), `connection reset → ${curl}`],
    [
      'one that alerts',
      (socket: Socket) => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, 40])),
      'no TLS connection could be made (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE): the service refused it, ' +
        'and may ask for other ciphers or for a certificate of its client → ' +
        'Correct the certificate at the service, or `url` and `ca_file` in the configuration.',
    ],
    ['one that says nothing', () => {}, ' → Check the service and the way to it; for slow pages'],
  ])('whose handshake fails, fails at TLS: %s', async (_title, greet, what) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => greet(socket))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { code, failed, of } = await examineUrl(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
    expect({ code, failed }).toEqual({ code: 3, failed: ['tls'] })
    expect(of('tls')).toEqual([expect.stringMatching(/^fail GET https:\/\/127\.0\.0\.1:PORT\/healthz: /)])
    expect(of('tls')[0]).toContain(what)
    expect(of('base-path')).toEqual(['skipped an earlier check failed'])
  })

  it('that hangs ends within the limit', async () => {
    const { code, failed, of } = await examineUrl(await plain(() => {}))
    expect({ code, failed }).toEqual({ code: 3, failed: ['release'] })
    expect(of('release')).toEqual([
      'fail GET http://127.0.0.1:PORT/healthz: no whole answer within N ms → Check the service and the way to it; for slow pages lower `page_size` or raise `limits.page_timeout`.',
    ])
  })

  it('through a proxy is left to the proxy', async () => {
    const { service, projects, env } = await aFleet()
    await using _ = service
    const seen: (string | undefined)[] = []
    const proxy = await plain((request, response) => {
      seen.push(request.url)
      const { port, pathname, search } = new URL(request.url ?? '')
      const headers = { authorization: request.headers.authorization ?? '' }
      void fetch(`http://127.0.0.1:${port}${pathname}${search}`, { headers }).then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
      })
    })
    // Only the proxy can reach this name.
    using directory = directoryFor(`http://hooks.invalid:${service.port}`, { projects })
    const { code, of } = await examine(directory.path, { ...env, HTTP_PROXY: proxy })
    expect(code).toBe(0)
    expect(of('tcp')).toEqual(['skipped HTTP_PROXY is set: the proxy makes the connection'])
    expect(of('projects')).toEqual([expect.stringMatching(/^ok 2 of 2 found/)])
    expect(seen[0]).toBe(`http://hooks.invalid:${service.port}/healthz`)
  })

  it.each(['other.invalid, 127.0.0.1', '10.0.0.0/8,127.0.0.0/8'])(
    'past a proxy is checked, where NO_PROXY is %s',
    async (NO_PROXY) => {
      const { service, projects, env } = await aFleet()
      await using _ = service
      using directory = directoryFor(service.url, { projects })
      const { of } = await examine(directory.path, {
        ...env,
        HTTP_PROXY: 'http://proxy.invalid:1',
        NO_PROXY,
      })
      expect(of('tcp')).toEqual(['ok 127.0.0.1:PORT accepts connections, N ms'])
    },
  )

  it('where an entry of NO_PROXY is not understood is asked nothing, and the configuration has the fault', async () => {
    const { service, projects, env } = await aFleet()
    await using _ = service
    using directory = directoryFor(service.url, { projects })
    const more = { HTTP_PROXY: 'http://proxy.invalid:1', NO_PROXY: '127.0.0.0/33' }
    const { code, of } = await examine(directory.path, { ...env, ...more })
    expect([code, service.requests]).toEqual([2, []])
    const fault = 'NO_PROXY has an entry that is not understood: "127.0.0.0/33", expected '
    expect(of('configuration')).toContainEqual(expect.stringContaining(`fail environment: ${fault}`))
    expect(of('tcp')).toEqual([expect.stringMatching(/^fail NO_PROXY has .* → Correct NO_PROXY: /)])
  })

  it('through a proxy that is none is named', async () => {
    using directory = directoryFor('https://hooks.invalid')
    const { code, of } = await examine(directory.path, { ACME_KEY: acmeKey, HTTPS_PROXY: 'ftp://proxy.invalid' })
    expect(code).toBe(2)
    expect(of('configuration')).toContain(
      'fail environment: HTTPS_PROXY is not a valid proxy URL → Correct it there, and run `hookdrift doctor --offline`.',
    )
    expect(of('tcp')).toEqual([
      'fail HTTPS_PROXY is not a valid proxy URL → Use http://host:port, https://host:port or socks5://host:port',
    ])
  })
})

describe('the URL', () => {
  it('with /api/v1 is mended, so that the other checks go on', async () => {
    const { service, projects, env } = await aFleet()
    await using _ = service
    using directory = directoryFor(`${service.url}/api/v1`, { projects })
    const { code, failed, of } = await examine(directory.path, env)
    expect({ code, failed }).toEqual({ code: 2, failed: ['configuration', 'base-path'] })
    expect(of('base-path')).toEqual([
      'fail url contains /api/v1, which hookdrift appends; checked without it → Set url: http://127.0.0.1:PORT',
    ])
    expect(of('projects')).toEqual([expect.stringMatching(/^ok 2 of 2 found/)])
  })

  it('with https where http is spoken', async () => {
    const url = await plain(json(200, {}))
    const { code, failed, of } = await examineUrl(url.replace('http:', 'https:'))
    expect({ code, failed }).toEqual({ code: 3, failed: ['tls'] })
    expect(of('tls')).toEqual([
      `fail GET https://127.0.0.1:PORT/healthz: no TLS connection could be made (ERR_SSL_WRONG_VERSION_NUMBER): the port does not speak TLS; if it speaks plain http, set url: http://127.0.0.1:PORT → ${correctUrl}`,
    ])
  })

  it.each([
    ['a server that hangs up', async () => (await tls('selfSigned')).url.replace('https:', 'http:')],
    [
      'a server that says so',
      () =>
        plain((_request, response) => {
          const text = 'Client sent an HTTP request to an HTTPS server.\n'
          response.writeHead(400, { 'content-type': 'text/plain' }).end(text)
        }),
    ],
    [
      'a server that redirects',
      () =>
        plain((request, response) => {
          response.writeHead(301, { location: `https://${request.headers.host}${request.url}` }).end()
        }),
    ],
  ])('with http where https is spoken: %s', async (_, open) => {
    const { code, failed, of } = await examineUrl(await open())
    expect({ code, failed }).toEqual({ code: 3, failed: ['base-path'] })
    expect(of('base-path')).toEqual([
      expect.stringMatching(/set url: https:\/\/(?:localhost|127\.0\.0\.1):PORT → Correct `url` of the service/),
    ])
  })

  it('of a login page', async () => {
    const url = await plain((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>')
    })
    const { code, failed, of } = await examineUrl(url)
    expect({ code, failed }).toEqual({ code: 3, failed: ['base-path'] })
    expect(of('base-path')).toEqual([
      'fail GET http://127.0.0.1:PORT/api/v1/projects/p1/endpoints: 200 ok with text/html instead of JSON: check the base path → Compare `url` with the address that people use, without /api/v1: hookdrift appends it.',
    ])
    expect(of('projects')).toEqual(['skipped billing, orders: see base-path'])
  })
})

describe('projects that the list of the service decides', () => {
  async function examineListed({
    env,
    more = '',
    projects = 'all',
    rename = [],
  }: {
    env?: Record<string, string>
    more?: string
    projects?: string
    rename?: readonly string[]
  } = {}) {
    const { fleet, service, env: ownEnv } = await aFleet()
    for (const [index, name] of rename.entries()) Object.assign(at(fleet.projects(), index), { name })
    await using _ = service
    using directory = openDirectory()
    directory.write(
      'hookdrift.yaml',
      `services:\n  - name: acme\n    url: ${service.url}\n    key: \${ACME_KEY}\n    organisation: ${more || fleet.organisationId}\n    projects: ${projects}\n`,
    )
    const examined = await examine(directory.path, env ?? ownEnv)
    return { ...examined, names: fleet.projects().map(({ name }) => name) }
  }

  it('are asked for, and the key is that of the service', async () => {
    const { code, of, names } = await examineListed()
    expect(code).toBe(0)
    expect(of('configuration')).toEqual([expect.stringContaining('1 service, listed projects, 0 schedules')])
    expect(of('key')).toEqual([expect.stringMatching(/accepted, a personal key$/)])
    expect(of('projects')).toEqual([`ok 2 of 2 found: ${names.join(', ')}`])
  })

  it('are printed without the secrets and line breaks of their names', async () => {
    const secret = ['ghp', 'k8Xq2LpZ9vRt3Wn7q5BdM4xT6yHs'].join('_')
    const { of } = await examineListed({ rename: [secret, 'x\n✓ all is well\u001b[2K'] })
    expect(of('projects')).toEqual([expect.stringMatching(/^ok 2 of 2 found: [0-9A-Z]{26}, [0-9A-Z]{26}$/)])
  })

  it('are those that fit the patterns', async () => {
    const { of, names } = await examineListed({
      projects: `[{ match: "${at(generateFleet({ projects: 2, endpointsPerProject: 3 }).projects(), 0).name}" }]`,
    })
    expect(of('projects')).toEqual([`ok 1 of 1 found: ${at(names, 0)}`])
    const none = await examineListed({ projects: '[{ match: "nothing-*" }]' })
    expect({ code: none.code, failed: none.failed }).toEqual({ code: 3, failed: ['projects'] })
    expect(none.of('projects')).toEqual([expect.stringMatching(/no project that the configuration asks for → Check/)])
    // The list was read: that is an answer of the API, and the key was accepted.
    expect(none.of('base-path')).toEqual([expect.stringMatching(/^ok .* answers under \/api\/v1 as the API does$/)])
    expect(none.of('key')).toEqual([expect.stringMatching(/^ok .*accepted, a personal key$/)])
  })

  it('are unknown where the list cannot be read, and the key is named where it is refused', async () => {
    const refused = await examineListed({ env: { ACME_KEY: acmeKey } })
    expect({ code: refused.code, failed: refused.failed }).toEqual({ code: 3, failed: ['key'] })
    expect(refused.of('projects')).toEqual(['skipped the list: see key'])
    const elsewhere = await examineListed({ more: '01M7XVZ2T417WGWM74AAK885VQ' })
    expect({ code: elsewhere.code, failed: elsewhere.failed }).toEqual({ code: 3, failed: ['projects'] })
    expect(elsewhere.of('projects')).toEqual([expect.stringMatching(/^fail the list \(.*organisation not found/)])
  })
})
