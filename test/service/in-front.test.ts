import { describe, expect, it } from 'vitest'
import { type Answer, aClient, answer, aService, key, listen, page, said, walk } from './fake-service.ts'

/** As others send it: no type of JSON unless the row has one. */
const foreign = (status: number, headers: Record<string, string>, body = ''): Answer => {
  return (_request, response) => response.writeHead(status, headers).end(body)
}

const html = { 'content-type': 'text/html' }
const text = { 'content-type': 'text/plain' }
const problem = { 'content-type': 'application/problem+json', server: 'cloudflare' }
const jsonOf = (server: string) => ({ 'content-type': 'application/json', server })

const front = 'something in front of the service'

/** Answers of proxies, firewalls, logins and meshes, as their makers document them or as reports quote them. */
const rows: readonly (readonly [string, Answer, string])[] = [
  [
    'a firewall of a cloud',
    foreign(403, { ...html, server: 'awselb/2.0' }, '<html><head><title>403 Forbidden</title></head></html>'),
    `403 forbidden with text/html, server awselb/2.0: ${front} refuses this request; it says "403 Forbidden"`,
  ],
  [
    'the challenge of a CDN',
    foreign(
      403,
      { 'content-type': 'text/html; charset=UTF-8', server: 'cloudflare' },
      '<title>Just a moment...</title>',
    ),
    `403 forbidden with text/html; charset=UTF-8, server cloudflare: ${front} refuses this request; it says "Just a moment..."`,
  ],
  [
    'a CDN that answers in JSON',
    foreign(403, problem, '{"title":"Error 1020: Access denied","status":403}'),
    `403 forbidden with application/problem+json, server cloudflare: ${front} refuses this request`,
  ],
  [
    'a mesh',
    foreign(403, { ...text, server: 'istio-envoy' }, 'RBAC: access denied'),
    `403 forbidden with text/plain, server istio-envoy: ${front} refuses this request; it says "RBAC: access denied"`,
  ],
  [
    'a mesh without a healthy gateway',
    foreign(503, { ...text, server: 'envoy' }, 'no healthy upstream'),
    `503 service unavailable with text/plain, server envoy: ${front} answers in its place; it says "no healthy upstream"`,
  ],
  [
    'the login of a web server',
    foreign(
      401,
      { ...html, 'www-authenticate': 'Basic realm="Restricted"' },
      '<html>401 Authorization Required</html>',
    ),
    `401 unauthorized with text/html: ${front} asks for a login of its own`,
  ],
  [
    'an API gateway with keys of its own',
    foreign(401, jsonOf('kong/3.9.0'), '{"message":"No API key found in request"}'),
    `401 unauthorized with application/json, server kong/3.9.0: ${front} asks for a login of its own; it says "No API key found in request"`,
  ],
  [
    'an API gateway that names the status as a number',
    foreign(
      401,
      jsonOf(''),
      '{"statusCode":401,"status":401,"message":"Access denied due to missing subscription key"}',
    ),
    `401 unauthorized with application/json: ${front} asks for a login of its own; it says "Access denied due to missing subscription key"`,
  ],
  ['a proxy of logins', foreign(403, {}), `403 forbidden with no content type: ${front} refuses this request`],
  [
    'a refusal that is compressed',
    foreign(401, { ...jsonOf('nginx'), 'content-encoding': 'gzip' }, '{"status":false,"message":"no"}'),
    `401 unauthorized with application/json, server nginx: ${front} asks for a login of its own`,
  ],
  [
    'a web server without the gateway',
    foreign(502, { ...html, server: 'nginx/1.29.1' }, '<html>\r\n<head><title>502 Bad Gateway</title></head></html>'),
    `502 bad gateway with text/html, server nginx/1.29.1: ${front} answers in its place; it says "502 Bad Gateway"`,
  ],
  [
    'the login of a network',
    foreign(511, html, '<title>Guest network</title>'),
    `511 network authentication required with text/html: ${front} answers in its place; it says "Guest network"`,
  ],
  [
    'a single sign-on',
    foreign(302, { location: 'https://login.example/authorize?client_id=7' }),
    `302 found, a redirect to login.example that was not followed because it would carry the key away: ${front} sends elsewhere, such as to a login`,
  ],
  [
    'a login on the same host',
    foreign(302, { location: '/oauth2/sign_in?rd=%2Fapi', server: 'caddy' }),
    `302 found, server caddy, a redirect to /oauth2 on the same host that was not followed: ${front} sends elsewhere, such as to a login`,
  ],
  [
    'a slash that is added to the path',
    ({ url }, response) => response.writeHead(308, { location: `${url?.split('?')[0]}/` }).end(),
    `308 permanent redirect, a redirect to /api on the same host that was not followed: ${front} sends elsewhere, such as to a login`,
  ],
  [
    'a redirect to nowhere',
    foreign(302, {}),
    `302 found, a redirect that was not followed: ${front} sends elsewhere, such as to a login`,
  ],
]

describe('an answer without the form of the service', () => {
  it.each(rows)('is of something in front, and no fault of the key: %s', async (_title, given, fault) => {
    const service = await aService(given)
    expect((await walk(aClient(service.url, { limits: { retries: 0 } }))).fault).toBe(`in_front: page 1: ${fault}`)
    expect(service.requests).toHaveLength(1)
  })

  it.each(rows)('names the proxy that the request went through: %s', async (_title, given, fault) => {
    const { url } = await aService(given)
    const env = { HTTP_PROXY: url.replace('http://', 'http://auditor:not-a-real-word@') }
    const client = aClient('http://hooks.invalid', { env, limits: { retries: 0 } })
    expect((await walk(client)).fault).toBe(
      `in_front: page 1: ${fault.replace(front, `the proxy that HTTP_PROXY names, or ${front}`)}`,
    )
  })

  it('is tried again where it may pass', async () => {
    const service = await aService(foreign(503, text, 'no healthy upstream'), page([]))
    expect((await walk(aClient(service.url))).fault).toBe(null)
  })

  it('is tried again where the dialect says that it passes', async () => {
    const service = await aService(foreign(403, text, 'quota exceeded'), page([]))
    const dialect = { transient: [{ status: 403, message: '^quota' }] }
    expect((await walk(aClient(service.url, { dialect }))).fault).toBe(null)
  })

  it('is shown in one bounded line, without the key, credentials and controls', async () => {
    const credential = ['ghp', 'k8Xq2LpZ9vRt3Wn7q5BdM4xT6yHs'].join('_')
    const hostile = `no\u001b[31m ${key}\r\n::error::x ${credential} ${'x'.repeat(5_000)}`
    const service = await aService(foreign(403, { ...text, server: `${credential} ${'y'.repeat(500)}` }, hostile))
    const { fault } = await walk(aClient(service.url))
    expect(fault).toMatch(
      /^in_front: page 1: 403 forbidden with text\/plain, server \[credential\] y{47}: [^\n]*; it says "no ?\[31m \[key\] ::error::x \[credential\] x*…"$/,
    )
    expect(fault?.length).toBeLessThan(450)
  })
})

describe('an answer in the form of the service', () => {
  it.each([
    ['a key that is refused', said(401, 'authorization failed'), /^refused_key: /],
    ['a right that is missing', said(403, 'forbidden'), /^forbidden: /],
    ['an error', said(500, 'an error occurred while fetching subscriptions'), /^http: /],
    ['a panic, which has no body', answer(500, ''), /^http: page 1: 500 internal server error \(/],
    ['an outage behind a proxy of the service', said(502, 'upstream is gone', { server: 'nginx' }), /^http: /],
  ])('is the service: %s', async (_title, given, fault) => {
    expect((await walk(aClient((await aService(given)).url, { limits: { retries: 0 } }))).fault).toMatch(fault)
  })
})

describe('a proxy that opens no tunnel', () => {
  const asks = 'it asks for a user and a password, or refuses those in'
  const form = 'http://USER:PASSWORD@HOST:PORT'

  it.each([
    [407, `407 proxy authentication required: ${asks} HTTPS_PROXY: ${form}`],
    [403, '403 forbidden: it may not be used for this host'],
    [302, '302 found: it may not be used for this host'],
    [502, '502 bad gateway after 2 tries: it does not reach the service'],
    [503, '503 service unavailable after 2 tries: it does not reach the service'],
  ])('with %i is named by its variable, and is not the service', async (status, fault) => {
    const { server, url } = await listen(() => {})
    server.on('connect', (_request, socket) => socket.end(`HTTP/1.1 ${status} no\r\ncontent-length: 0\r\n\r\n`))
    const env = { HTTPS_PROXY: url.replace('http://', 'http://auditor:not-a-real-word@') }
    const client = aClient('https://hooks.invalid', { env, limits: { retries: 1 } })
    expect((await walk(client)).fault).toBe(`in_front: page 1: the proxy that HTTPS_PROXY names answered ${fault}`)
  })

  it('over plain http asks for a password alike', async () => {
    const { url } = await aService(foreign(407, html, '<title>ERROR: Access denied</title>'))
    const client = aClient('http://hooks.invalid', { env: { http_proxy: url } })
    expect((await walk(client)).fault).toBe(
      `in_front: page 1: the proxy that http_proxy names answered 407 proxy authentication required: ${asks} http_proxy: ${form}`,
    )
  })
})
