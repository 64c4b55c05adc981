import { describe, expect, it } from 'vitest'
import {
  cookieOf,
  formHeaders,
  openGuardedPages,
  proxyAddress,
  teamToken,
  tokens,
  trustedProxy,
  wholeToken,
} from './access-harness.ts'

const hour = 3_600_000

describe('a login', () => {
  it('shows a form, takes the token, and goes back to the page with a cookie', async () => {
    const guarded = openGuardedPages()
    const form = await (await guarded.ask('/login?to=/violations?rule=a')).text()
    expect(form).toContain('<input id="token" name="token" type="password"')
    expect(form).toContain('name="to" value="/violations?rule=a"')
    const answer = await guarded.login(` ${teamToken}\n`, { to: '/violations?rule=a' })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/violations?rule=a'])
    expect(answer.headers.get('set-cookie')).toMatch(/; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/)
    const read = await guarded.withCookie(cookieOf(answer))
    expect(await read.json()).toEqual({ name: 'team', projects: ['acme/p*'], hasSession: true })
    expect(guarded.log).toEqual([{ entered: 'team', peer: '192.0.2.1' }])
  })

  it('holds for twelve hours, over a restart and with another process, and ends with its token', async () => {
    const [first, second] = [openGuardedPages(), openGuardedPages()]
    const cookie = cookieOf(await first.login(teamToken))
    second.clock.now += 12 * hour - 1
    expect((await second.withCookie(cookie)).status).toBe(200)
    second.clock.now += 1
    expect((await second.withCookie(cookie)).status).toBe(303)
    const rotated = openGuardedPages({ tokens: [{ name: 'team', token: 'y'.repeat(20), projects: ['acme/p*'] }] })
    const refused = await rotated.withCookie(cookie)
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([303, expect.stringContaining('Max-Age=0')])
  })

  it('is taken by a process whose clock is behind the one that made it', async () => {
    const [first, behind] = [openGuardedPages(), openGuardedPages()]
    behind.clock.now -= 30_000
    expect((await behind.withCookie(cookieOf(await first.login(teamToken)))).status).toBe(200)
  })

  it('cannot be made longer, wider or another reader’s by who has the cookie', async () => {
    const guarded = openGuardedPages()
    const cookie = cookieOf(await guarded.login(teamToken))
    const [until = '', code = '', name = ''] = cookie.replace(/^\w+=/, '').split('.')
    const changed = [
      [String(Number(until) + 1), code, name],
      [until, code, ''],
      [until, code.slice(1), name],
      [until, '', name],
      [`${until}0`, code, name],
      ['', '', ''],
    ]
    for (const parts of changed) {
      expect((await openGuardedPages().withCookie(`hookdrift_reader=${parts.join('.')}`)).status).toBe(303)
    }
  })

  it('sets a cookie for https only where the browser came by https', async () => {
    const through = async (headers: Readonly<Record<string, string>>, peer: string) => {
      const guarded = openGuardedPages({ tokens, trustedProxy })
      return (await guarded.login(wholeToken, { headers, peer })).headers.get('set-cookie') ?? ''
    }
    const proto = { 'x-forwarded-proto': 'https', 'x-forwarded-user': 'ada' }
    expect(await through(proto, proxyAddress)).toMatch(/; Secure$/)
    expect(await through(proto, '192.0.2.1')).not.toContain('Secure')
    expect(await through({ origin: 'https://pages.example.com' }, '192.0.2.1')).toMatch(/; Secure$/)
  })

  it('ends with the form at the foot of the pages', async () => {
    const guarded = openGuardedPages()
    const answer = await guarded.ask('/logout', { method: 'POST', headers: formHeaders })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/login'])
    expect(answer.headers.get('set-cookie')).toMatch(/^hookdrift_reader=; Max-Age=0; /)
  })

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/a\r\nset-cookie: x=y',
    '/logout',
    '/login?to=/x',
    'violations',
    '',
  ])('leads to the overview where the address names %j', async (to) => {
    const guarded = openGuardedPages()
    expect((await guarded.login(wholeToken, { to })).headers.get('location')).toBe('/')
    const form = await (await guarded.ask(`/login?${new URLSearchParams({ to })}`)).text()
    expect(form).toContain('name="to" value="/"')
  })

  it('leads to the overview where the address is longer than any of a page', async () => {
    const answer = await openGuardedPages().login(wholeToken, { to: `/${'x'.repeat(2001)}` })
    expect(answer.headers.get('location')).toBe('/')
  })

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': '', origin: 'http://evil.example' },
    { 'sec-fetch-site': '', origin: 'null' },
  ])('is refused to the form of another site: %j', async (given) => {
    const headers = Object.fromEntries(Object.entries({ ...formHeaders, ...given }).filter(([, value]) => value !== ''))
    const guarded = openGuardedPages()
    const asking = { method: 'POST', body: `token=${wholeToken}`, headers }
    for (const path of ['/login', '/logout']) {
      const answer = await guarded.ask(path, asking)
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null])
    }
  })

  it('is possible over plain http, where a browser says only its origin', async () => {
    const { 'content-type': type } = formHeaders
    const headers = { 'content-type': type, origin: 'http://pages.example.com' }
    const answer = await openGuardedPages().ask('/login', { method: 'POST', body: `token=${wholeToken}`, headers })
    expect(answer.status).toBe(303)
    // A proxy may name the port that browsers leave out.
    const byPort = { ...headers, host: 'pages.example.com:80' }
    const same = await openGuardedPages().ask('/login', {
      method: 'POST',
      body: `token=${wholeToken}`,
      headers: byPort,
    })
    expect(same.status).toBe(303)
    // Without a referrer, a browser calls its origin `null`.
    expect((await openGuardedPages().ask('/login')).headers.get('referrer-policy')).toBe('same-origin')
  })

  it('reads no more than a small form', async () => {
    const guarded = openGuardedPages()
    const large = `token=${'x'.repeat(5000)}`
    const stream = new Blob([large]).stream()
    const post = { method: 'POST', headers: formHeaders }
    expect((await guarded.ask('/login', { ...post, body: large })).status).toBe(413)
    expect((await guarded.ask('/login', { ...post, body: stream, duplex: 'half' })).status).toBe(413)
    const json = { ...formHeaders, 'content-type': 'application/json' }
    expect((await guarded.ask('/login', { method: 'POST', headers: json, body: '{}' })).status).toBe(415)
  })

  it('shows what another site put into the address as text', async () => {
    const form = await (await openGuardedPages().ask('/login?to=/%22%3E%3Cscript%3E')).text()
    expect(form).not.toContain('"><script>')
  })
})

describe('attempts at a token', () => {
  it('are slowed after five from one address, and again up to a minute', async () => {
    const guarded = openGuardedPages()
    const statuses: number[] = []
    for (let attempt = 0; attempt < 6; attempt++) statuses.push((await guarded.login('wrong')).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    const waits: (string | null)[] = []
    for (let attempt = 0; attempt < 8; attempt++) {
      const refused = await guarded.login('wrong')
      waits.push(refused.headers.get('retry-after'))
      guarded.clock.now += Number(refused.headers.get('retry-after')) * 1000
      expect((await guarded.login('wrong')).status).toBe(401)
    }
    expect(waits).toEqual(['1', '2', '4', '8', '16', '32', '60', '60'])
    // At most a line a minute.
    expect(guarded.log).toEqual(Array.from({ length: 4 }, () => ({ slowed: '192.0.2.1' })))
  })

  it('are slowed however they are made', async () => {
    const until = Date.UTC(2026, 10, 23) + hour
    const kinds = [
      (guarded: GuardedPages) => guarded.bearer('wrong'),
      (guarded: GuardedPages) => guarded.withCookie(`hookdrift_reader=${until}.wrong.team`),
      (guarded: GuardedPages) => guarded.login('wrong'),
    ]
    for (const attempt of kinds) {
      const guarded = openGuardedPages()
      for (let count = 0; count < 5; count++) await attempt(guarded)
      expect((await attempt(guarded)).status).toBe(429)
      expect((await guarded.bearer(wholeToken)).status).toBe(429)
      guarded.clock.now += 1000
      expect((await guarded.bearer(wholeToken)).status).toBe(200)
    }
  })

  it('delay neither another address nor a reader who is logged in', async () => {
    const guarded = openGuardedPages()
    const cookie = cookieOf(await guarded.login(teamToken))
    await guarded.withCookie(cookie)
    for (let count = 0; count < 5; count++) await guarded.login('wrong')
    expect((await guarded.login(wholeToken)).status).toBe(429)
    expect((await guarded.withCookie(cookie)).status).toBe(200)
    expect((await guarded.login(wholeToken, { peer: '192.0.2.2' })).status).toBe(303)
  })

  it('count for the whole network that an IPv6 client has', async () => {
    const guarded = openGuardedPages()
    for (let count = 0; count < 5; count++) await guarded.login('wrong', { peer: `2001:db8::${count}` })
    expect((await guarded.login(wholeToken, { peer: '2001:db8:0:0:ffff::1' })).status).toBe(429)
    expect((await guarded.login(wholeToken, { peer: '2001:db8:0:1::1' })).status).toBe(303)
  })

  it('are forgotten when they stop, and do not take more memory than ten thousand addresses', async () => {
    const guarded = openGuardedPages()
    for (let count = 0; count < 5; count++) await guarded.bearer('wrong', { peer: '192.0.2.9' })
    for (let client = 0; client < 10_000; client++)
      await guarded.bearer('wrong', { peer: `10.1.${client >> 8}.${client & 255}` })
    expect((await guarded.bearer(wholeToken, { peer: '192.0.2.9' })).status).toBe(200)
  })

  it('do not count where a login only ended', async () => {
    const guarded = openGuardedPages()
    const cookie = cookieOf(await guarded.login(teamToken))
    guarded.clock.now += 12 * hour
    for (let count = 0; count < 6; count++) expect((await guarded.withCookie(cookie)).status).toBe(303)
    expect((await guarded.login(teamToken)).status).toBe(303)
  })
})

it('a token is in no answer, no cookie and no line of the log', async () => {
  const guarded = openGuardedPages({ tokens, trustedProxy })
  const wrong = 'not-a-real-token-that-is-wrong'
  const answers = [
    await guarded.login(teamToken),
    await guarded.login(wrong),
    await guarded.bearer(wrong),
    await guarded.bearer(teamToken),
    await guarded.ask('/login'),
    await guarded.ask(`/api/v1/runs`, { headers: { authorization: `Bearer ${wrong}` } }),
    ...(await Promise.all(Array.from({ length: 6 }, () => guarded.login(wrong)))),
  ]
  const said = await Promise.all(answers.map(async (one) => `${[...one.headers].join('\n')}\n${await one.text()}`))
  const everything = `${said.join('\n')}${JSON.stringify(guarded.log)}`
  for (const secret of [teamToken, wholeToken, wrong]) {
    expect(everything).not.toContain(secret)
    expect(everything).not.toContain(Buffer.from(secret).toString('base64url'))
  }
})

type GuardedPages = ReturnType<typeof openGuardedPages>
