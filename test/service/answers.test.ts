import { describe, expect, it } from 'vitest'
import {
  type Answer,
  aClient,
  anAccess,
  answer,
  aService,
  item,
  key,
  listen,
  page,
  pageBody,
  said,
  walk,
} from './fake-service.ts'

const small = { maxBodyBytes: 10_000, retries: 0 }

async function faultOf(given: Answer, limits: object = small) {
  const service = await aService(given)
  const { pages, fault } = await walk(aClient(service.url, { limits }))
  if (fault !== null) expect(pages).toEqual([])
  return fault
}

describe('a success', () => {
  it.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/problem+json',
    'application/vnd.acme.v1+json;a=b',
  ])('is read when its content type is %s', async (type) => {
    expect(await faultOf(answer(200, pageBody([]), { 'content-type': type }))).toBe(null)
  })

  it.each(['text/html; charset=utf-8', 'text/json', 'application/jsonp', 'application/x-ndjson'])(
    'is not offered when it is %s',
    async (type) => {
      expect(await faultOf(answer(200, '<!DOCTYPE html>', { 'content-type': type }))).toBe(
        `not_offered: page 1: 200 ok with ${type} instead of JSON: check the base path (request id req-7)`,
      )
    },
  )

  it('is not offered without a content type', async () => {
    const bare: Answer = (_request, response) => response.writeHead(200).end('{}')
    expect(await faultOf(bare)).toBe(
      'not_offered: page 1: 200 ok with no content type instead of JSON: check the base path',
    )
  })

  it('is invalid with an empty body', async () => {
    expect(await faultOf(answer(200, ''))).toMatch(/^malformed: page 1: 200 ok with an empty body/)
  })

  it.each([
    [201, 'created'],
    [202, 'accepted'],
    [203, 'non-authoritative information'],
    [204, 'no content'],
    [205, 'reset content'],
    [206, 'partial content'],
    [226, 'im used'],
    [299, ''],
  ])('is not a page with status %i, with any content', async (status, name) => {
    const given = answer(status, status === 204 || status === 205 ? '' : pageBody([item('a')]), {
      'content-range': 'items 0-1/22',
    })
    const service = await aService(given)
    const named = `${status} ${name}`.trim()
    expect(await walk(aClient(service.url))).toEqual({
      pages: [],
      fault: `http: page 1: ${named} instead of 200 ok (request id req-7)`,
    })
    expect(service.requests).toHaveLength(1)
  })

  it('is invalid when it is compressed', async () => {
    expect(await faultOf(answer(200, pageBody([]), { 'content-encoding': 'gzip' }))).toMatch(
      /^malformed: page 1: 200 ok compressed \(gzip\), which was not asked for/,
    )
    expect(await faultOf(answer(200, pageBody([]), { 'content-encoding': 'identity' }))).toBe(null)
  })

  it('is refused when it announces more than is allowed', async () => {
    expect(await faultOf(answer(200, pageBody([item('a', { pad: 'x'.repeat(10_000) })])))).toBe(
      'malformed: page 1: an answer larger than 10000 bytes: ask for smaller pages, or allow more (request id req-7)',
    )
  })

  it('is refused when it never ends', async () => {
    const endless: Answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const write = () => {
        while (!response.destroyed && response.write(' '.repeat(4_096)));
      }
      response.on('drain', write)
      write()
    }
    expect(await faultOf(endless)).toMatch(/^malformed: page 1: an answer larger than 10000 bytes/)
  })

  it('may be exactly as large as is allowed', async () => {
    const body = JSON.stringify(pageBody([]))
    expect(await faultOf(answer(200, body), { maxBodyBytes: body.length })).toBe(null)
    expect(await faultOf(answer(200, body), { maxBodyBytes: body.length - 1 })).toMatch(/^malformed/)
  })
})

describe('JSON', () => {
  /** A page whose one item has a member with this JSON text. */
  const pageWith = (member: string) =>
    JSON.stringify(pageBody([item('a', { member: 'MEMBER' })])).replace('"member":"MEMBER"', member)

  it.each([
    ['a key twice', '"k":1,"k":1', 'JSON with a key twice in one object'],
    ['a key twice, once escaped', '"k":1,"\\u006b":2', 'JSON with a key twice in one object'],
    ['an own prototype twice', '"__proto__":1,"__proto__":2', 'JSON with a key twice in one object'],
    ['half a surrogate pair', '"k":"\\uD83d"', 'JSON with half a surrogate pair'],
    ['half a surrogate pair in a key', '"\\udead":1', 'JSON with half a surrogate pair'],
    ['nesting that is too deep', `"k":${'['.repeat(61)}${']'.repeat(61)}`, 'JSON nested deeper than 64'],
    [
      'an object that is too large for a resource',
      Array.from({ length: 10_000 }, (_, n) => `"k${n}":{"a":1}`).join(','),
      'JSON with more than 10000 members in one object',
    ],
    ['a bad literal', '"k":nul', 'malformed JSON'],
  ])('is refused with %s', async (_title, member, reason) => {
    expect(await faultOf(answer(200, pageWith(member)), { maxBodyBytes: 1_000_000 })).toBe(
      `malformed: page 1: 200 ok, ${reason} (request id req-7)`,
    )
  })

  it.each([
    ['colons, quotes and brackets in strings', '"k":"a:b\\":{[\\\\"'],
    ['a whole surrogate pair', '"k":"\\ud83d\\ude80 🚀"'],
    ['a backslash before what looks like an escape', '"k":"\\\\ud83d"'],
    ['the deepest nesting that is allowed', `"k":${'['.repeat(60)}${']'.repeat(60)}`],
    ['keys that look like numbers or prototypes', '"0":1,"1":{"__proto__":{"a":[{"b":null}]}},"constructor":3'],
  ])('is read with %s', async (_title, member) => {
    const service = await aService(answer(200, pageWith(member)))
    const { pages, fault } = await walk(aClient(service.url))
    expect(fault).toBe(null)
    expect(pages[0]?.items[0]).toEqual(JSON.parse(pageWith(member)).data.content[0])
  })

  it('is refused with a malformed uid', async () => {
    const body = JSON.stringify(pageBody([item('UID')])).replaceAll('UID', '\\udfff')
    expect(await faultOf(answer(200, body))).toMatch(/^malformed: page 1: 200 ok, JSON with half a surrogate pair/)
  })

  it('is refused with invalid UTF-8', async () => {
    const bytes = Buffer.from(pageWith('"k":"X"'))
    bytes[bytes.lastIndexOf('X')] = 0xff
    expect(await faultOf(answer(200, bytes))).toMatch(/^malformed: page 1: 200 ok, JSON that is not valid UTF-8/)
  })

  it('is refused with trailing text', async () => {
    expect(await faultOf(answer(200, `${JSON.stringify(pageBody([]))} x`))).toMatch(
      /^malformed: page 1: 200 ok, malformed JSON/,
    )
    expect(await faultOf(answer(200, `${JSON.stringify(pageBody([]))}\n`))).toBe(null)
  })

  it('that breaks off is requested again, because a cut may look like an end', async () => {
    const service = await aService(answer(200, JSON.stringify(pageBody([item('a')])).slice(0, 60)), page([item('a')]))
    expect((await walk(aClient(service.url))).fault).toBe(null)
    expect(service.requests.length).toBe(2)
  })
})

describe('an error', () => {
  it.each([
    [
      said(403, 'nope'),
      'forbidden: page 1: 403 forbidden: the key is not allowed to do this; the service says "nope" (request id req-7)',
    ],
    [
      said(400, 'Invalid version number'),
      'http: page 1: 400 bad request; the service says "Invalid version number" (request id req-7)',
    ],
    [answer(415, ''), 'http: page 1: 415 unsupported media type (request id req-7)'],
    [
      said(400, 'Project not found'),
      'not_found: page 1: 400 bad request: the project does not exist, or the key may not see it; the service says "Project not found" (request id req-7)',
    ],
    [
      said(404, 'unauthorized to process request'),
      'not_found: page 1: 404 not found: the project does not exist, or the key may not see it; the service says "unauthorized to process request" (request id req-7)',
    ],
    [
      answer(404, '404 page not found\n', { 'content-type': 'text/plain; charset=utf-8' }),
      'not_offered: page 1: 404 not found with text/plain; charset=utf-8: not offered by this service, or a wrong base path (request id req-7)',
    ],
  ])('that is final is reported at once %#', async (given, fault) => {
    const service = await aService(given)
    expect((await walk(aClient(service.url))).fault).toBe(fault)
    expect(service.requests.length).toBe(1)
  })

  it('is reported in one short line without controls and without the key', async () => {
    const message = `bad\r\nkey \u0007\u202e${key} or not-a-real-secret-part-of-a-key ${'x'.repeat(500)}`
    const { fault } = await walk(aClient((await aService(said(400, message))).url))
    expect(fault).toMatch(
      /^http: page 1: 400 bad request; the service says "bad key \[key\] or \[key\] x+…" \(request id req-7\)$/,
    )
    expect(fault?.length).toBeLessThan(280)
  })

  it.each([
    ['cannot read Authorization: Bearer 9f8e7d6c5b4a', 'cannot read Authorization: [credential]'],
    ['header {"x-api-key":"abcd1234"} is bad', 'header {"x-api-key":"[credential]"} is bad'],
    ['Authorization: Token abcd1234', 'Authorization: Token [credential]'],
    ['no key 9f8e7d6c5b4a39281706f5e4', 'no key [credential]'],
    ['api_key: expired', 'api_key: [credential]'],
    ['no endpoint 01M7XVZ2T417WGWM74AAK885VQ', 'no endpoint 01M7XVZ2T417WGWM74AAK885VQ'],
    ['authorization failed: try again', 'authorization failed: try again'],
    [`${'x '.repeat(94)}9f8e7d6c5b4a39281706f5e4`, `${'x '.repeat(94)}…`],
  ])('%s is reported without what looks like a credential', async (message, shown) => {
    expect(await faultOf(said(422, message))).toBe(
      `http: page 1: 422 unprocessable entity; the service says "${shown}" (request id req-7)`,
    )
  })

  it('never contains the key in any other part of a message', async () => {
    const echo = { 'x-request-id': key, 'content-type': `text/${key}`, 'content-encoding': key }
    for (const status of [200, 404, 500]) {
      expect(await faultOf(answer(status, '{}', echo))).toContain('(request id [key])')
    }
    expect(await faultOf(answer(302, '', { location: `http://${key}.example/` }))).toContain(
      'a redirect to [key].example',
    )
  })

  it('never contains what has the form of a credential in any other part of a message', async () => {
    const credential = ['ghp', 'k8Xq2LpZ9vRt3Wn7q5BdM4xT6yHs'].join('_')
    const faults = await Promise.all([
      faultOf(answer(200, '{}', { 'x-request-id': credential, 'content-type': `text/${credential}` })),
      faultOf(answer(200, '{}', { 'content-type': 'application/json', 'content-encoding': credential })),
      faultOf(answer(404, '{}', { 'content-type': `text/${credential}` })),
      faultOf(answer(302, '', { location: `http://${credential}.example/` })),
    ])
    expect(faults.map((fault) => /\[credential\]/.test(fault ?? ''))).toEqual([true, true, true, true])
    expect(faults.join().toLowerCase()).not.toContain(credential.toLowerCase())
  })

  it('redirects without the key being sent along', async () => {
    let reached = 0
    const elsewhere = await listen((_request, response) => {
      reached++
      response.end()
    })
    for (const status of [301, 302, 303, 307, 308]) {
      const { host } = new URL(elsewhere.url)
      expect(await faultOf(answer(status, '', { location: `${elsewhere.url}/a?b=${key}` }))).toContain(
        `, a redirect to ${host} that was not followed because it would carry the key away: `,
      )
    }
    expect(reached).toBe(0)
  })

  it.each(['', '/convoy', '/api/hooks'])('redirects to the right base URL, which has the path "%s"', async (base) => {
    const moved: Answer = ({ url }, response) => {
      response.writeHead(308, { location: `https://new.example${base}${url?.slice('/api/old'.length)}` }).end()
    }
    const { url } = await aService(moved)
    expect((await walk(aClient(`${url}/api/old`))).fault).toMatch(
      new RegExp(`^wrong_url: page 1: 308 .* carry the key away: set url: https://new\\.example${base}$`),
    )
  })

  it('refuses a key that a header cannot carry, without showing it', async () => {
    const service = await aService(page([]))
    const { fault } = await walk(aClient(service.url), anAccess({ key: `${key}\n` }))
    expect(fault).toBe('refused_key: page 1: the key has characters that a header cannot carry')
    expect(service.requests).toEqual([])
  })
})
