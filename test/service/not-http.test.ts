import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { networkFailure } from '../../src/gateway/service/network-failure.ts'
import { aClient, anAccess, key, walk } from './fake-service.ts'
import { notHttp } from './not-http-replies.ts'

async function aPort(reply: (typeof notHttp)[string]) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => reply?.(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('an answer that is not HTTP', () => {
  it.each(Object.entries(notHttp))('is reported in plain words and tried again: %s', async (_title, reply) => {
    const access = anAccess()
    const client = aClient(`http://127.0.0.1:${await aPort(reply)}`, { limits: { retries: 1 } })
    const { pages, fault } = await walk(client, access)
    expect(pages).toEqual([])
    expect([
      'malformed: page 1: the answer is not HTTP after 2 tries: check the port and the scheme (http or https)',
      'network: page 1: connection closed before the answer was whole after 2 tries',
      'malformed: page 1: the head of the answer is larger than 16 KiB after 2 tries',
    ]).toContain(fault)
    expect(access.traffic.requests).toBe(2)
  })

  it.each(Object.entries(notHttp).filter(([title]) => /SSH|TLS|garbage|nothing/.test(title)))(
    'fails the greeting of TLS: %s',
    async (_title, reply) => {
      const client = aClient(`https://127.0.0.1:${await aPort(reply)}`, { limits: { retries: 0 } })
      const { fault } = await walk(client)
      expect(fault).toMatch(
        /^(?:wrong_url|tls|network): page 1: (no TLS connection could be made \(ERR_SSL_\w+\): (?:check the port|the port does not speak TLS)|connection (reset|closed))/,
      )
    },
  )
})

describe('any error while an answer is read', () => {
  const secret = `cannot parse ${key}`
  const parserError = Object.assign(new Error(secret), { name: 'HTTPParserError', code: undefined, data: secret })
  it.each([
    ['an error of the parser without a code', parserError, 'malformed', 'later'],
    ['an error of the parser with one', Object.assign(new Error(secret), { code: 'HPE_STRICT' }), 'malformed', 'later'],
    ['an unknown code', Object.assign(new Error(secret), { code: 'ENEW' }), 'network', 'later'],
    ['a code that is a text of others', Object.assign(new Error(secret), { code: secret }), 'network', 'later'],
    ['a code that is a number', Object.assign(new Error(secret), { code: 7 }), 'network', 'later'],
    ['a name that is a text of others', Object.assign(new Error(secret), { name: secret }), 'network', 'later'],
    ['a full stack', new RangeError(secret), 'malformed', 'never'],
    ['a header that cannot be', new TypeError(secret), 'malformed', 'never'],
    ['a mistake of ours', new ReferenceError(secret), 'malformed', 'never'],
    ['a text', secret, 'network', 'later'],
    ['nothing', undefined, 'network', 'later'],
    ['null', null, 'network', 'later'],
    ['an object', { code: 'ECONNRESET', message: secret }, 'network', 'later'],
  ])('is a failure of that exchange, and its text is not shown: %s', (_title, thrown, kind, again) => {
    const failure = networkFailure(thrown)
    expect(failure).toMatchObject({ ok: false, kind, again, what: expect.stringMatching(/\w/) })
    expect(JSON.stringify(failure)).not.toContain('cannot parse')
  })
})
