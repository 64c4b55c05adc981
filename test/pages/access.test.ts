import { describe, expect, it } from 'vitest'
import { openGuardedPages, proxyAddress, teamToken, tokens, trustedProxy, wholeToken } from './access-harness.ts'

const all = { name: undefined, hasSession: false }

describe('who may read the pages', () => {
  it('is everyone on the machine where no reader is named', async () => {
    const guarded = openGuardedPages({})
    expect(await (await guarded.ask('/')).json()).toEqual({ hasSession: false })
    expect(guarded.scopes).toEqual([undefined])
  })

  it('is the owner of a token, who sees the projects of that token', async () => {
    const guarded = openGuardedPages()
    expect(await (await guarded.bearer(wholeToken)).json()).toEqual({ hasSession: false })
    expect(await (await guarded.bearer(teamToken)).json()).toEqual({
      name: 'team',
      projects: ['acme/p*'],
      hasSession: false,
    })
  })

  it('is asked also on this machine where there are tokens', async () => {
    expect((await openGuardedPages().ask('/', { peer: '127.0.0.1' })).status).toBe(303)
  })

  it('has one site for all readers of the same projects', async () => {
    const guarded = openGuardedPages({
      tokens: [...tokens, { name: 'twin', token: 'x'.repeat(20), projects: ['acme/p*'] }],
    })
    for (const token of [wholeToken, teamToken, 'x'.repeat(20), wholeToken]) await guarded.bearer(token)
    expect(guarded.scopes).toEqual([undefined, ['acme/p*']])
  })

  it.each(['/', '/violations?rule=a&run=3', '/rules/a%20b'])('is sent from %s to the login and back', async (path) => {
    const answer = await openGuardedPages().ask(path)
    const location = new URL(answer.headers.get('location') ?? '', 'http://pages.example.com')
    expect([answer.status, location.pathname, location.searchParams.get('to') ?? '/']).toEqual([303, '/login', path])
  })

  it('sees nothing of the site before a login, not even its menu', async () => {
    const form = await (await openGuardedPages().ask('/login')).text()
    expect(form).toContain('<form class="login"')
    expect(form).not.toContain('<nav')
    expect(form).not.toContain('href="/"')
  })

  it.each(['/api/v1/violations', '/feed.atom'])(
    'learns from the status that a program needs a token for %s',
    async (path) => {
      const answer = await openGuardedPages().ask(path)
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="hookdrift"'])
      expect(await answer.json()).toEqual({ error: { message: expect.any(String), advice: expect.any(String) } })
    },
  )

  it.each(['/healthz', '/style.css', '/script.js', '/copy.js'])('may be anyone for %s', async (path) => {
    expect((await openGuardedPages().ask(path)).status).toBe(200)
  })

  it('is asked only under a name of the port', async () => {
    const headers = { host: 'evil.example', authorization: `Bearer ${wholeToken}` }
    expect((await openGuardedPages().ask('/healthz', { headers })).status).toBe(421)
  })

  it.each(['PUT', 'POST', 'DELETE', 'OPTIONS'])('changes nothing by %s', async (method) => {
    const answer = await openGuardedPages().bearer(wholeToken, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    if (method !== 'POST') expect((await openGuardedPages().ask('/login', { method })).status).toBe(405)
  })

  it.each(['/%00', '/violations?text=%00', '/%c3%28', '/resources/%', '/violations?text=%zz'])(
    'is refused with the broken address %s',
    async (path) => {
      expect((await openGuardedPages().bearer(wholeToken, {})).status).toBe(200)
      expect((await openGuardedPages().ask(path)).status).toBe(400)
    },
  )

  it('is refused with a token of another kind of login', async () => {
    const basic = Buffer.from(`reader:${wholeToken}`).toString('base64')
    const answer = await openGuardedPages().ask('/api/v1/runs', { headers: { authorization: `Basic ${basic}` } })
    expect(answer.status).toBe(401)
  })
})

describe('a proxy that knows its users', () => {
  const headers = { 'x-forwarded-user': 'ada@example.com' }

  it('names the reader, who sees all projects', async () => {
    const guarded = openGuardedPages({ trustedProxy })
    const answer = await guarded.ask('/', { peer: proxyAddress, headers })
    expect(await answer.json()).toEqual({ ...all, name: 'ada@example.com' })
    await guarded.ask('/runs', { peer: `::ffff:${proxyAddress}`, headers })
    expect(guarded.log).toEqual([{ entered: 'ada@example.com', peer: proxyAddress }])
  })

  it.each([undefined, '', '  '])('is refused where the name is %j', async (name) => {
    const named = name === undefined ? {} : { 'x-forwarded-user': name }
    for (const guarded of [openGuardedPages({ trustedProxy }), openGuardedPages({ trustedProxy, tokens })]) {
      expect((await guarded.ask('/', { peer: proxyAddress, headers: named })).status).toBe(401)
      expect((await guarded.ask('/login', { peer: proxyAddress, headers: named })).status).toBe(401)
    }
  })

  it.each(['10.0.0.8', '127.0.0.1', '::1', ''])('is not believed when it is %j', async (peer) => {
    expect((await openGuardedPages({ trustedProxy }).ask('/', { peer, headers })).status).toBe(401)
    expect((await openGuardedPages({ trustedProxy, tokens }).ask('/', { peer, headers })).status).toBe(303)
  })

  it('is recognised by its network', async () => {
    const networks = [{ address: 'fd00::', family: 'ipv6', prefix: 64 }] as const
    const guarded = openGuardedPages({ trustedProxy: { ...trustedProxy, networks } })
    expect((await guarded.ask('/', { peer: 'fd00::1:2', headers })).status).toBe(200)
    expect((await guarded.ask('/', { peer: 'fd00:0:0:1::2', headers })).status).toBe(401)
  })

  it('narrows what a user sees by the token that it sends along, and ignores one that is not known', async () => {
    const guarded = openGuardedPages({ trustedProxy, tokens })
    const narrowed = await guarded.bearer(teamToken, { peer: proxyAddress, headers })
    expect(await narrowed.json()).toEqual({ name: 'ada@example.com', projects: ['acme/p*'], hasSession: false })
    const other = await guarded.bearer('a-token-for-someone-else', { peer: proxyAddress, headers })
    expect(await other.json()).toEqual({ ...all, name: 'ada@example.com' })
  })

  it('writes nothing into the log but one line that shows control characters', async () => {
    const guarded = openGuardedPages({ trustedProxy })
    await guarded.ask('/', {
      peer: proxyAddress,
      headers: { 'x-forwarded-user': `eve\u0085\u009b2J${'x'.repeat(500)}` },
    })
    const [{ entered }] = guarded.log as [{ entered: string }]
    expect(entered).toMatch(/^eve\\x85\\x9b2Jx{150,}$/)
    expect(entered.length).toBeLessThan(300)
  })
})
