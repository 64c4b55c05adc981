import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectionLimits, type HttpListener, listen } from '../../src/app/serving/listen.ts'
import { hostCheck } from '../../src/app/serving/refuse-request.ts'
import { openAccess } from '../../src/pages/access/open-access.ts'
import { openPages } from '../../src/pages/open-pages.ts'
import { createSite } from '../../src/pages/site.ts'
import { openDemoSite } from '../pages/demo-site.ts'

const mostConnections = 200

/** The port of the pages, with everything in front of them, on this machine. */
async function openPort(limits: Partial<ConnectionLimits> = {}) {
  const { api, history } = demo
  const faults: unknown[] = []
  const isHostOfPort = hostCheck({ host: '127.0.0.1', hosts: undefined })
  const common = { isHostOfPort, now: () => Date.UTC(2026, 10, 23), onFault: (error: unknown) => faults.push(error) }
  const site = createSite({ ...common, api, history: async () => history, version: '1.2.3' })
  const settings = { tokens: [], trustedProxy: undefined }
  const access = openAccess({ settings, now: common.now, watch: { entered: () => {}, slowed: () => {} } })
  const pages = openPages({ ...common, access, siteOf: () => site })
  const serving = await listen({ host: '127.0.0.1', port: 0, limits }, pages, '')
  opened.push(serving)
  const port = Number(new URL(serving.url).port)
  return {
    faults,
    url: serving.url,
    connect: () => quiet(connect({ host: '127.0.0.1', port })),
    /** Sends bytes as they are, and gathers the answer until the port ends the connection. */
    async send(text: string): Promise<string> {
      const socket = this.connect()
      socket.end(text)
      return gather(socket)
    },
  }
}

const opened: HttpListener[] = []
let demo: Awaited<ReturnType<typeof openDemoSite>>

/** The port cuts connections: that is what the tests are about. */
function quiet(socket: Socket): Socket {
  return socket.on('error', () => {})
}

async function gather(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part
  })
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)

function request(target: string, { method = 'GET', host = 'localhost' } = {}): string {
  return `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
}

describe('the port of the pages', () => {
  beforeAll(async () => {
    demo = await openDemoSite()
  })
  afterEach(async () => {
    for (const serving of opened.splice(0)) await serving.close()
  })
  afterAll(() => demo[Symbol.asyncDispose]())

  it('cuts a client whose headers take too long, and answers others meanwhile', async () => {
    const port = await openPort({ headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 10 })
    const slow = port.connect()
    slow.write('GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    const cut = gather(slow)
    expect((await fetch(`${port.url}/healthz`)).status).toBe(200)
    expect(statusOf(await cut)).toBe(408)
  })

  it('cuts a client that sends a body that no page takes', async () => {
    const port = await openPort({ headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 })
    const slow = port.connect()
    slow.write('POST /violations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\nx')
    expect(statusOf(await gather(slow))).toBe(405)
  })

  it('reads no more than eight kilobytes of headers out of ten megabytes', async () => {
    const port = await openPort()
    const before = process.memoryUsage().rss
    for (let attempt = 0; attempt < 20; attempt++) {
      const socket = port.connect()
      const answer = gather(socket)
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n')
      const line = `X-Long: ${'x'.repeat(64 * 1024)}\r\n`
      for (let sent = 0; sent < 160 && !socket.destroyed; sent++) socket.write(line)
      expect([431, 0]).toContain(statusOf(await answer)) // A reset may overtake the answer.
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024)
    expect(statusOf(await port.send(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(8200)}\r\n\r\n`))).toBe(431)
    expect((await fetch(`${port.url}/healthz`)).status).toBe(200)
  })

  it('keeps at most two hundred connections, and answers an honest request after ten thousand, with flat memory', async () => {
    const port = await openPort()
    let warm = 0
    for (let wave = 0; wave < 10; wave++) {
      const sockets = Array.from({ length: 1000 }, () => port.connect())
      let closed = 0
      const cut = new Promise<void>((resolve) => {
        for (const socket of sockets) {
          socket.once('close', () => {
            closed += 1
            if (closed === sockets.length - mostConnections) resolve()
          })
          socket.resume().write('GET /')
        }
      })
      await cut
      expect((await fetch(`${port.url}/healthz`)).status).toBe(200)
      for (const socket of sockets) socket.destroy()
      if (wave === 1) warm = residentAfterCollection()
    }
    expect(residentAfterCollection() - warm).toBeLessThan(64 * 1024 * 1024)
    expect((await fetch(`${port.url}/`)).status).toBe(200)
  }, 120_000)

  it.each([
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/style.css/../../../package.json',
    '/resources/..%2f..%2fpackage.json',
    '/compliance/..%2f..%2f..%2fetc%2fpasswd',
    '/rules/..%2f../..%2f..%2fpackage.json',
    '//etc/passwd',
    '/\\..\\etc\\passwd',
  ])('leads to no file by the path %s', async (path) => {
    const port = await openPort()
    const answer = await port.send(request(path))
    expect([400, 404]).toContain(statusOf(answer))
    expect(answer).not.toMatch(/root:|"dependencies"/)
    expect(port.faults).toEqual([])
  })

  it.each([
    ['GET http://evil.example/ HTTP/1.1', 421],
    ['GET https://evil.example:443/ HTTP/1.1', 421],
    ['GET http://[/ HTTP/1.1', 400],
    ['GET http://u:p@127.0.0.1/login HTTP/1.1', 400],
    ['GET http://u@127.0.0.1/ HTTP/1.1', 400],
    ['GET /%00 HTTP/1.1', 400],
    ['GET /violations?text=%00 HTTP/1.1', 400],
    ['GET /resources/%c3%28 HTTP/1.1', 400],
    ['GET /resources/%zz HTTP/1.1', 400],
    ['GET * HTTP/1.1', 400],
    ['GET / HTTP/9.9', 400],
    ['GET', 400],
    ['HELLO /', 400],
    ['\0\x01\x02\x03', 400],
    ['TRACE / HTTP/1.1', 405],
    ['OPTIONS / HTTP/1.1', 405],
    ['PUT /violations HTTP/1.1', 405],
    ['DELETE /violations/x HTTP/1.1', 405],
    ['BREW / HTTP/1.1', 400],
    // Node ends the connection.
    ['CONNECT evil.example:443 HTTP/1.1', 0],
  ])('refuses the request line %j with %i', async (line, status) => {
    const port = await openPort()
    expect(statusOf(await port.send(`${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`))).toBe(status)
    expect(port.faults).toEqual([])
  })

  it.each([
    ['evil.example', 421],
    ['localhost.evil.example', 421],
    ['localhost:80@evil.example', 400],
    ['evil.example#localhost', 400],
    ['', 421],
    ['LOCALHOST:9465', 200],
    ['127.0.0.1', 200],
    ['[::1]:9465', 200],
  ])('answers the host %j with %i', async (host, status) => {
    const port = await openPort()
    expect(statusOf(await port.send(request('/healthz', { host })))).toBe(status)
  })

  it('answers a health check of HTTP/1.0, which names no host', async () => {
    const port = await openPort()
    expect(statusOf(await port.send('GET /healthz HTTP/1.0\r\n\r\n'))).toBe(200)
  })

  it('refuses a request with two hosts, or with two lengths', async () => {
    const port = await openPort()
    const hosts = 'Host: localhost\r\nHost: evil.example\r\nConnection: close\r\n'
    expect([400, 421]).toContain(statusOf(await port.send(`GET /healthz HTTP/1.1\r\n${hosts}\r\n`)))
    const lengths = 'Host: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n'
    expect(statusOf(await port.send(`POST /login HTTP/1.1\r\n${lengths}\r\n0\r\n\r\n`))).toBe(400)
  })

  it('answers a long query without a fault of its own', async () => {
    const port = await openPort()
    const answer = await port.send(request(`/violations?text=${'x'.repeat(7000)}`))
    expect([200, 400]).toContain(statusOf(answer))
    const many = await port.send(request(`/violations?${'severity=high&'.repeat(500)}`))
    expect([200, 400]).toContain(statusOf(many))
    expect(port.faults).toEqual([])
  })
})

/** Bytes that the process holds, without what only waits for the collector: when that comes is the machine's choice. */
function residentAfterCollection(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().rss
}
