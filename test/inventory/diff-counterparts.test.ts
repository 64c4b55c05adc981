import { describe, expect, it } from 'vitest'
import {
  diffCounterparts,
  findSeals,
  mapHost,
  readFieldPattern,
  readHostMapping,
} from '../../src/gateway/inventory/diff-counterparts.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { Kind } from '../../src/model/resource.ts'

const seal = (digit: string) => `sealed:${digit.repeat(32)}`

function differing(
  kind: Kind,
  first: JsonObject,
  second: JsonObject,
  { hosts = [], ignored = [] }: { hosts?: readonly string[]; ignored?: readonly string[] } = {},
) {
  const stateOf = (attributes: JsonObject) => ({ attributes, sealKeyId: 'key' })
  const { fields, unshown } = diffCounterparts(kind, stateOf(first), stateOf(second), {
    hosts: hosts.flatMap((text) => readHostMapping(text) ?? []),
    ignored: ignored.flatMap((text) => [readFieldPattern(text) ?? []]),
  })
  return { fields, unshown }
}

const pathsOf = (...args: Parameters<typeof differing>) => differing(...args).fields.map(({ path }) => path)

describe('diffCounterparts', () => {
  it('leaves out uids, times and the public halves of secrets', () => {
    const signingKey = (digit: string) => ({ kty: 'RSA', kid: digit, n: digit, e: 'AQAB', d: seal(digit) })
    const endpoint = (digit: string): JsonObject => ({
      uid: digit,
      project_id: digit,
      created_at: `2026-01-0${digit}T00:00:00Z`,
      deleted_at: null,
      authentication: { type: 'oauth2', oauth2: { signing_key: signingKey(digit) } },
      mtls_client_cert: { client_cert: `certificate ${digit}`, client_key: seal(digit) },
    })
    expect(differing('endpoint', endpoint('1'), endpoint('2'))).toEqual({ fields: [], unshown: [] })
  })

  it('compares whether there is a secret, not which, nor how many', () => {
    const endpoint = (...digits: string[]): JsonObject => ({
      secrets: Object.fromEntries(
        digits.map((digit) => [digit, { value: seal(digit), created_at: null, expires_at: `2026-0${digit}` }]),
      ),
    })
    expect(pathsOf('endpoint', endpoint('1'), endpoint('2', '3'))).toEqual([])
    expect(differing('endpoint', endpoint(), endpoint('2')).fields).toEqual([
      { path: '/secrets', before: null, after: [{ value: 'sealed:masked' }] },
    ])
  })

  it('takes a deleted secret for none', () => {
    const endpoint = (deleted_at: string | null): JsonObject => ({ secrets: { k: { value: seal('1'), deleted_at } } })
    expect(pathsOf('endpoint', endpoint(null), endpoint('2026-11-20T00:00:00Z'))).toEqual(['/secrets'])
    expect(pathsOf('endpoint', { secrets: {} }, endpoint('2026-11-20T00:00:00Z'))).toEqual([])
  })

  it('compares versions of a signature by what they are', () => {
    const project = (uid: string, ...hashes: string[]): JsonObject => ({
      config: {
        signature: {
          versions: Object.fromEntries(hashes.map((hash, at) => [`${uid}${at}`, { hash, encoding: 'hex' }])),
        },
      },
    })
    expect(pathsOf('project', project('A', 'SHA256', 'SHA512'), project('B', 'SHA512', 'SHA256'))).toEqual([])
    expect(pathsOf('project', project('A', 'SHA256'), project('B', 'SHA512'))).toEqual(['/config/signature/versions'])
  })

  it('compares programs with their sealed literals, which need not be secrets', () => {
    const source = (digit: string): JsonObject => ({ body_function: `return "${seal(digit)}"` })
    expect(pathsOf('source', source('1'), source('1'))).toEqual([])
    expect(pathsOf('source', source('1'), source('2'))).toEqual(['/body_function'])
  })

  it('ignores the mask in the address of a source, and no other part of the address', () => {
    const source = (mask: string, host = 'hooks.example.com'): JsonObject => ({
      mask_id: mask,
      url: `https://${host}/ingest/${mask}`,
    })
    expect(pathsOf('source', source('abc'), source('def'))).toEqual([])
    expect(pathsOf('source', source('abc'), source('def', 'other.example.com'))).toEqual(['/url'])
  })

  it('does not compare the name of a project, which the reader chose', () => {
    expect(pathsOf('project', { name: 'a', type: 'incoming' }, { name: 'b', type: 'outgoing' })).toEqual(['/type'])
  })

  it('takes an unknown field for a uid or a time by its form, and compares any other', () => {
    const endpoint = (id: string, at: string, other: string): JsonObject => ({ new: { id, at, other, count: 1 } })
    const first = endpoint('01M7XVZ2T417WGWM74AAK885VQ', '2026-01-01T00:00:00Z', 'x')
    const second = endpoint('01M7XVZ2T417WGWM74AAK885VZ', '2026-01-02T00:00:00+01:00', 'x')
    expect(pathsOf('endpoint', first, second)).toEqual([])
    expect(pathsOf('endpoint', first, { ...second, new: { other: 'y', count: 2 } })).toEqual([
      '/new/count',
      '/new/other',
    ])
  })

  it('names what only one side shows', () => {
    const { fields, unshown } = differing('project', { type: 'a', config: { ssl: {} } }, { config: {}, logo_url: null })
    expect({ fields, unshown: [...unshown].sort() }).toEqual({
      fields: [],
      unshown: ['/config/ssl', '/logo_url', '/type'],
    })
  })

  it('maps the hosts of the first side, in addresses and in texts that are addresses', () => {
    const hosts = ['*.stage.example.com=*.example.com']
    const endpoint = (host: string): JsonObject => ({
      url: `https://user:${seal('1')}@a.${host}:8443/x?token=${seal('2')}`,
      authentication: { type: 'oauth2', oauth2: { url: `https://id.${host}/token`, audience: `https://api.${host}` } },
      description: `see a.${host}`,
    })
    const [first, second] = [endpoint('stage.example.com'), endpoint('example.com')]
    expect(pathsOf('endpoint', first, second, { hosts })).toEqual(['/description'])
    expect(pathsOf('endpoint', second, first, { hosts })).toHaveLength(4)
    expect(pathsOf('endpoint', first, first, { hosts })).toHaveLength(3)
    const { fields } = differing('endpoint', { url: 'https://stage.example.com/a' }, { url: 'https://b.example/a' })
    expect(fields).toEqual([{ path: '/url', before: 'https://stage.example.com/a', after: 'https://b.example/a' }])
  })

  it('compares sets regardless of the order that hosts and seals give them', () => {
    const hosts = ['a.stage.example=z.example', 'b.stage.example=y.example']
    const source = (...brokers: string[]): JsonObject => ({ pub_sub: { type: 'kafka', kafka: { brokers } } })
    const mapped = source('y.example:9092', 'z.example:9092')
    expect(pathsOf('source', source('a.stage.example:9092', 'b.stage.example:9092'), mapped, { hosts })).toEqual([])
    const [a, b] = [(digit: string) => `k://x:${seal(digit)}@a`, (digit: string) => `k://x:${seal(digit)}@b`]
    expect(pathsOf('source', source(a('1'), b('2')), source(b('3'), a('4')))).toEqual([])
    expect(pathsOf('source', mapped, source('y.example:9092'))).toEqual(['/pub_sub/kafka/brokers'])
  })

  it('leaves out the fields that are ignored, whole or within an object', () => {
    const first = { description: 'a', url: 'x', new: { a: { b: 1, c: 1 } } }
    const second = { description: 'b', url: 'y', new: { a: { b: 2, c: 2 } } }
    expect(pathsOf('endpoint', first, second, { ignored: ['/description', '/new/*/b'] })).toEqual(['/new/a/c', '/url'])
    expect(pathsOf('endpoint', first, second, { ignored: ['/*'] })).toEqual([])
  })
})

describe('mapHost', () => {
  const mapped = (text: string, mapping: string, isAddress = true) =>
    mapHost(text, [readHostMapping(mapping) ?? { from: '', to: '' }], isAddress)

  it.each([
    ['https://stage.example.com/a', 'stage.example.com=example.com', 'https://example.com/a'],
    ['https://Stage.Example.com:444', 'stage.example.com=example.com', 'https://example.com:444'],
    ['http://127.0.0.1:5001/a', '127.0.0.1:5001=hooks.example.com', 'http://hooks.example.com/a'],
    ['kafka.stage:9092', '*.stage=*.prod', 'kafka.prod:9092'],
    ['https://a.b.stage.example.com', '*.stage.example.com=*.example.com', 'https://a.b.example.com'],
    ['https://stage.example.com', '*.stage.example.com=*.example.com', 'https://stage.example.com'],
    ['https://other.example.com/stage.example.com', 'stage.example.com=example.com', undefined],
    ['https://[::1]:80/a', '[::1]=localhost', 'https://localhost:80/a'],
    ['https://a.example/$1', 'a.*=b.*', 'https://b.example/$1'],
  ])('of %s by %s', (text, mapping, expected) => {
    expect(mapped(text, mapping)).toBe(expected ?? text)
  })

  it('leaves a text that does not begin as an address', () => {
    expect(mapped('stage.example.com', 'stage.example.com=example.com', false)).toBe('stage.example.com')
  })

  it.each(['', 'a', 'a=', '=b', 'a=b=c', '*.*=a', 'a=*', 'https://a=b', 'a b=c', 'user@a=b'])('refuses %j', (text) => {
    expect(readHostMapping(text)).toBeUndefined()
  })
})

it('findSeals finds secrets, and not what merely looks like one in programs and texts', () => {
  const [secret, header, token] = [seal('1'), seal('2'), seal('3')]
  const endpoint = {
    name: seal('4'),
    description: `call ${seal('5')}`,
    url: `https://a.example/?token=${token}`,
    secrets: { '01': { value: secret }, '02': { value: 'sealed:masked' } },
    authentication: { type: 'api_key', api_key: { header_name: 'X', header_value: header } },
  }
  expect([...findSeals('endpoint', endpoint)].map(({ path, seal }) => [path, seal])).toEqual([
    ['/url', token],
    ['/secrets/01/value', secret],
    ['/authentication/api_key/header_value', header],
  ])
  expect([
    ...findSeals('subscription', {
      function: `"${secret}"`,
      filter_config: { filter: { body: { token: secret } } },
    }),
  ]).toEqual([])
  expect([...findSeals('source', { url: `https://a.example/ingest/${token}` })]).toEqual([])
})
