import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { proxyFor } from '../../src/gateway/service/proxy-for.ts'
import { createTransport } from '../../src/gateway/service/transport.ts'
import { aClient, aService, item, listen, page, pageBody, walk } from './fake-service.ts'
import { json, tls } from './front-ends.ts'
import { certificateOf, makeCertificates } from './service-certificates.ts'

beforeAll(makeCertificates)

/** A service with a certificate of its own. */
const aTlsService = () => tls('selfSigned', json(200, pageBody([item('a')])))

/** Forwards plain requests, and tunnels where it is asked to; both only to this machine. */
async function aProxy() {
  const seen: string[] = []
  const { server, url } = await listen((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim())
    const target = new URL(request.url ?? '')
    void fetch(`http://127.0.0.1:${target.port}${target.pathname}${target.search}`).then(async (answer) => {
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })
  })
  server.on('connect', (request, socket) => {
    seen.push(`${request.method} ${request.url}`)
    const tunnel = connect(Number(new URL(`http://${request.url}`).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      tunnel.pipe(socket).pipe(tunnel)
    })
    tunnel.on('error', () => socket.destroy())
    socket.on('error', () => tunnel.destroy())
  })
  return { seen, url }
}

describe('a certificate', () => {
  const chain = (name: string) =>
    `the service sends it without that of "${name}", which issued it: have it send the whole chain, with each intermediate certificate; ` +
    `if "${name}" is a root of yours, name it in ca_file`
  const unknown = (name: string) =>
    `its authority "${name}" is not known here: name the certificate of its authority in ca_file`

  const unfit = 'it is not for servers, or one above it may not issue others: replace them at the service'

  it.each([
    ['selfSigned', '', 'DEPTH_ZERO_SELF_SIGNED_CERT', unknown('X').replace(/^its.*here/, 'it is self-signed')],
    ['chained', 'root', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', chain('issuing')],
    ['direct', '', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', chain('root')],
    ['chained issuing', '', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknown('root')],
    ['chained issuing root', '', 'SELF_SIGNED_CERT_IN_CHAIN', unknown('root')],
    ['chained', 'issuing', 'UNABLE_TO_GET_ISSUER_CERT', unknown('root')],
    ['expired', 'expired', 'CERT_HAS_EXPIRED', 'it expired on 2021-01-01: renew it at the service'],
    [
      'ofOldRoot',
      'oldRoot',
      'CERT_HAS_EXPIRED',
      'that of its authority "oldRoot" expired on 2021-01-01: replace it at the service and in ca_file',
    ],
    [
      'ofOldIssuing oldIssuing',
      'root',
      'CERT_HAS_EXPIRED',
      'that of its authority "oldIssuing" expired on 2021-01-01: replace it at the service and in ca_file',
    ],
    ['early', 'early', 'CERT_NOT_YET_VALID', 'it is valid from 2048-01-01 on: check the clock of this machine'],
    ['ofNotIssuing notIssuing', 'root', 'INVALID_PURPOSE', unfit],
    ['client', 'root', 'INVALID_PURPOSE', unfit],
    [
      'other',
      'other',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'it is for other.example and not for localhost: set url to a name that it is for',
    ],
  ])('that is not accepted says why: %s, where "%s" is known', async (sent, known, code, why) => {
    const { url } = await tls(sent)
    const settings = known === '' ? {} : { ca: certificateOf(known).cert }
    expect((await walk(aClient(url, { settings }))).fault).toBe(
      `tls: page 1: the certificate of the service is not accepted (${code}): ${why}`,
    )
  })

  it('of a chain that is sent whole is accepted', async () => {
    const { url } = await tls('chained issuing', json(200, pageBody([item('a')])))
    expect((await walk(aClient(url, { settings: { ca: certificateOf('root').cert } }))).fault).toBe(null)
  })

  it('of a configured authority is accepted', async () => {
    const { url, ca } = await aTlsService()
    const client = aClient(url, { settings: { ca } })
    expect((await walk(client)).fault).toBe(null)
  })

  it('is not shown where both sides know no cipher together', async () => {
    // The certificate is for another kind of key.
    const ciphers = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' } as const
    const { url, ca } = await tls('selfSigned', json(200, {}), ciphers)
    const { fault } = await walk(aClient(url, { settings: { ca }, patience: 'short' }))
    expect(fault).toBe(
      'tls: page 1: no TLS connection could be made (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE): ' +
        'the service refused it, and may ask for other ciphers or for a certificate of its client',
    )
  })
})

describe('a proxy', () => {
  it('forwards plain requests, and gets its own password only', async () => {
    const proxy = await aProxy()
    const env = { HTTP_PROXY: proxy.url.replace('//', '//user:w%40rd@') }
    // Only the proxy can reach this name.
    const service = await aService(page([item('a')]))
    const { port } = new URL(service.url)
    expect((await walk(aClient(`http://hooks.invalid:${port}`, { env }))).fault).toBe(null)
    expect(proxy.seen).toEqual([
      `GET http://hooks.invalid:${port}/api/v1/projects/project-1/endpoints?perPage=1000 Basic ${btoa('user:w@rd')}`,
    ])
  })

  it('tunnels encrypted requests, with the configured authorities', async () => {
    const proxy = await aProxy()
    const { url, ca } = await aTlsService()
    const client = aClient(url, { env: { https_proxy: proxy.url }, settings: { ca } })
    expect((await walk(client)).fault).toBe(null)
    expect(proxy.seen).toEqual([`CONNECT ${new URL(url).host}`])
  })

  it.each([
    ['NO_PROXY names the host', { NO_PROXY: 'example.com, 127.0.0.1' }],
    ['no_proxy names everything', { no_proxy: '*' }],
    ['NO_PROXY names its network', { NO_PROXY: '10.0.0.0/8,127.0.0.0/8' }],
  ])('is bypassed when %s', async (_title, env) => {
    const proxy = await aProxy()
    const service = await aService(page([item('a')]))
    expect((await walk(aClient(service.url, { env: { http_proxy: proxy.url, ...env } }))).fault).toBe(null)
    expect(proxy.seen).toEqual([])
  })

  it('that cannot be reached, or speaks no TLS, is named, and no other address of the service', async () => {
    const { url } = await listen(() => {})
    for (const [proxy, what] of [
      ['http://127.0.0.1:1', 'network: page 1: connection refused'],
      ['http://proxy.invalid:1', 'unknown_host: page 1: host name not found'],
      [url.replace('http:', 'https:'), 'tls: page 1: no TLS connection could be made (ERR_SSL_WRONG_VERSION_NUMBER)'],
    ] as const) {
      const client = aClient('https://hooks.invalid', { env: { https_proxy: proxy }, limits: { retries: 0 } })
      expect((await walk(client)).fault).toBe(`${what}: check the proxy that https_proxy names`)
    }
  })

  it.each([
    ['https://a.example', 'a.example', true],
    ['https://a.example', '.a.example,other', true],
    ['https://a.example', 'example', true],
    ['https://a.example', 'none, *', true],
    ['https://a.example', 'A.EXAMPLE.', true],
    ['https://A.example./', 'a.example', true],
    ['https://a.example', 'a.example:443', true],
    ['https://a.example', '*:443', true],
    ['https://a.example', '*:8443', false],
    ['https://a.example', 'a.example:8443', false],
    ['https://a.example:8443', 'a.example:8443', true],
    ['https://a.example', '*.a.example', false],
    ['https://b.a.example', '*.a.example', true],
    ['https://b.a.example', '.a.example:443', true],
    ['https://a.example', 'ample', false],
    ['https://a.example', '[::1]:443', false],
    ['https://a.example', '0.0.0.0/0 ::/0', false],
    ['https://a.example', '', false],
    ['https://a.example', ' ,, \t\n', false],
    ['https://a.example', 'x\ty\na.example', true],
    ['https://b\u00fccher.example', 'B\u00fccher.example', true],
    ['https://b\u00fccher.example', 'xn--bcher-kva.example', true],
    ['http://convoy_1.apps.svc:5005', '10.0.0.0/8,.svc', true],
    ['http://localhost', 'localhost', true],
    ['http://localhost', '127.0.0.0/8', false],
    ['http://10.4.3.2:5005', '10.0.0.0/8', true],
    ['http://10.4.3.2:5005', '127.0.0.0/8,10.0.0.0/8,.svc,.cluster.local', true],
    ['http://10.4.3.2:5005', '10.9.9.9/8', true],
    ['http://10.4.3.2:5005', '10.4.3.2', true],
    ['http://10.4.3.2:5005', '10.4.3.2/32', true],
    ['http://10.4.3.2:5005', '10.4.3.3/32', false],
    ['http://10.4.3.2:5005', '10.4.3.3/31', true],
    ['http://10.4.3.2:5005', '0.0.0.0/0', true],
    ['http://10.4.3.2:5005', '::/0', false],
    ['http://10.4.3.2:5005', '10.4.3.2:5005', true],
    ['http://10.4.3.2:5005', '10.4.3.2:80', false],
    ['http://10.4.3.2', '10.4.3.2:80', true],
    ['http://10.4.3.2:5005', '10.0.0.0/8:5005', true],
    ['http://10.4.3.2:5005', '10.0.0.0/8:80', false],
    ['http://10.4.3.2:5005', '192.168.0.0/16', false],
    ['http://10.4.3.2:5005', '::ffff:10.0.0.0/104', true],
    ['http://0x0a040302:5005', '10.0.0.0/8', true],
    ['http://[::ffff:10.0.0.1]:5005', '10.0.0.0/8', true],
    ['http://[::ffff:10.0.0.1]:5005', '10.0.0.1', true],
    ['http://[::ffff:10.0.0.1]:5005', '11.0.0.0/8', false],
    ['http://[fd00:1::5]:5005', 'fd00::/8', true],
    ['http://[fd00:1::5]:5005', '[fd00::]/8', true],
    ['http://[fd00:1::5]:5005', 'FD00:1:0::5', true],
    ['http://[fd00:1::5]:5005', '[fd00:1::5]', true],
    ['http://[fd00:1::5]:5005', '[fd00:1::5]:5005', true],
    ['http://[fd00:1::5]:5005', '[fd00:1::5]:80', false],
    ['http://[fd00:1::5]:5005', '::/0', true],
    ['http://[2001:db8::5]:5005', 'fd00::/8', false],
    ['http://[2001:db8::5]:5005', '2001:db8::/127', false],
    ['http://[::1]:8080', '::1', true],
    ['http://[::1]:8080', '127.0.0.0/8', false],
  ])('for %s is none where NO_PROXY is "%s": %s', (url, except, isNone) => {
    const variables = { HTTP_PROXY: 'http://p:1', HTTPS_PROXY: 'http://p:1' }
    expect(proxyFor(new URL(url), { ...variables, NO_PROXY: except }) === undefined).toBe(isNone)
    // One that decides nothing changes nothing.
    expect(proxyFor(new URL(url), { ...variables, no_proxy: `${except},never.invalid` }) === undefined).toBe(isNone)
  })

  it.each([
    ...['10.0.0.0/33', '10.0.0/8', '10.0.0', '10', '10.0.0.0/255.0.0.0', '10.*', '010.0.0.1', '300.1.1.1', '10.0.0.0/'],
    ...['fd00::/129', '[fd00::1', 'fd00::1]', '[fd00::/8', '[]', '[a.example]', ':::1', '0x7f.1'],
    ...[
      'http://a.example',
      'a.example/x',
      'a.example/8',
      '*foo',
      '*.',
      '.',
      'a..example',
      '<local>',
      'a.*.example',
      '**',
    ],
    ...['a.example:99999', 'a.example:0', 'a.example:', 'a.example:http', '*:', ':443', 'a;b', '"a.example"'],
  ])('is an error of the configuration where NO_PROXY has %s, even next to one that excepts the host', (entry) => {
    const url = new URL('http://a.example')
    for (const variable of ['NO_PROXY', 'no_proxy'] as const) {
      const variables = { HTTP_PROXY: 'http://p:1', [variable]: `*, ${entry}` }
      expect(() => proxyFor(url, variables)).toThrow(
        expect.objectContaining({
          message: expect.stringMatching(
            new RegExp(`^${variable} has an entry that is not understood: .*, expected a name `),
          ),
          exitCode: 2,
        }),
      )
      expect(() => proxyFor(url, variables)).toThrow(JSON.stringify(entry))
      // Without a proxy, it costs nothing.
      expect(proxyFor(url, { [variable]: entry })).toBe(undefined)
    }
  })

  it('shows no entry of NO_PROXY that may contain a password, and escapes one that controls a terminal', () => {
    const fault = (except: string) => {
      try {
        proxyFor(new URL('http://a.example'), { HTTP_PROXY: 'http://p:1', NO_PROXY: except })
      } catch (error) {
        return String(error)
      }
      return ''
    }
    expect(fault('http://user:not-a-real-word@proxy')).toMatch(/understood: entry 1, hidden for an @, expected/)
    expect(fault('a.example,http://user:not-a,real-word@proxy')).toMatch(
      /understood: entry 2, hidden for an @, expected/,
    )
    expect(fault('http://user:not-a-real-word@proxy')).not.toContain('not-a-real-word')
    expect(fault('a\u001b[31mb')).toContain('"a\\u001b[31mb"')
    expect(fault(`/${'x'.repeat(10_000)}`).length).toBeLessThan(500)
  })

  it('is decided by the lower case of NO_PROXY, unless that is empty', () => {
    const variables = { HTTP_PROXY: 'http://p:1', NO_PROXY: 'a.example' }
    const isNone = (no_proxy: string) => proxyFor(new URL('http://a.example'), { ...variables, no_proxy }) === undefined
    expect([isNone('b.example'), isNone('a.example'), isNone(' ')]).toEqual([false, true, true])
  })

  it('is chosen by the scheme, in either case, and completed', () => {
    const http = new URL('http://a.example')
    const https = new URL('https://a.example')
    expect(proxyFor(http, { HTTP_PROXY: 'http://p:1', http_proxy: 'q:2', no_proxy: 'x' })).toEqual({
      url: 'http://q:2',
      variable: 'http_proxy',
    })
    expect(proxyFor(http, { HTTP_PROXY: 'http://p:1', http_proxy: ' ' })?.variable).toBe('HTTP_PROXY')
    expect(proxyFor(https, { HTTP_PROXY: 'http://p:1' })).toBe(undefined)
    expect(proxyFor(https, { HTTPS_PROXY: ' ', https_proxy: '' })).toBe(undefined)
    expect(() => proxyFor(https, { https_proxy: 'http://user:secret-word@' })).toThrow(
      expect.objectContaining({ message: 'https_proxy is not a valid proxy URL', exitCode: 2 }),
    )
  })
})

const mib = 1024 * 1024
const request = { method: 'GET', path: '/', headers: {}, body: null } as const

/** A transport with one connection to a server that answers so. `connections`: how many were made. */
async function talkTo(answer: (response: ServerResponse) => void) {
  const { server, url } = await listen((_, response) => answer(response))
  const sockets: Promise<unknown>[] = []
  server.on('connection', (socket) => sockets.push(new Promise((resolve) => socket.on('close', resolve))))
  const limits = { connectTimeoutMs: 5_000, pageTimeoutMs: 5_000 }
  const transport = createTransport({ url, ca: undefined, connections: 1, limits }, {})
  onTestFinished(() => transport.close())
  const send = (signal = new AbortController().signal) => transport.send(request, signal)
  return { send, connections: () => sockets.length, closed: () => sockets[0] }
}

describe('an exchange', () => {
  it('keeps the beginning of a body that is read late, and lets the rest wait', async () => {
    const body = Buffer.alloc(4 * mib, 'abc')
    const { send, connections } = await talkTo((response) => response.end(body))
    const answer = await send()
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    expect((await answer.read(8 * mib, body.length))?.equals(body)).toBe(true)
    const next = await send()
    expect((await next.read(8 * mib))?.equals(body)).toBe(true)
    expect(connections()).toBe(1)
  })

  it('closes the connection of a body that is larger than allowed', async () => {
    const { send, connections, closed } = await talkTo((response) => response.end(Buffer.alloc(4 * mib)))
    expect(await (await send()).read(mib)).toBe(undefined)
    await closed()
    expect(await (await send()).read(4 * mib)).toHaveLength(4 * mib)
    expect(connections()).toBe(2)
  })

  it('closes the connection of a body that is dropped', async () => {
    const { send, closed } = await talkTo((response) => response.end(Buffer.alloc(4 * mib)))
    const answer = await send()
    answer.discard()
    await closed()
  })

  it('rejects a body that breaks off, whether or not it is being read then', async () => {
    const { send, closed } = await talkTo((response) => {
      response.writeHead(200, { 'content-length': 10 })
      response.write('12345', () => response.destroy())
    })
    const read = await send()
    await expect(read.read(100)).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
    const late = await send()
    await closed()
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    await expect(late.read(100)).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' })
  })

  it('ends with the reason of an abort, before and after the head', async () => {
    const { send } = await talkTo((response) => void response.write('12345'))
    const [early, late] = [new AbortController(), new AbortController()]
    early.abort(new Error('before'))
    await expect(send(early.signal)).rejects.toThrow('before')
    const reading = (await send(late.signal)).read(100)
    late.abort(new Error('after'))
    await expect(reading).rejects.toThrow('after')
  })
})
