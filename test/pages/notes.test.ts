import { afterAll, describe, expect, it } from 'vitest'
import { openExistingHistory } from '../../src/app/open-history.ts'
import { createMaskingSealer } from '../../src/gateway/inventory/sealer.ts'
import { readLocation } from '../../src/history/location.ts'
import { listNotes } from '../../src/history/sql/notes.ts'
import { openAccess } from '../../src/pages/access/open-access.ts'
import { openPages } from '../../src/pages/open-pages.ts'
import { scopeSite } from '../../src/pages/scope.ts'
import { createSite } from '../../src/pages/site.ts'
import { cookieOf, formHeaders } from './access-harness.ts'
import { openDemoSite } from './demo-site.ts'

const demo = await openDemoSite()
afterAll(() => demo[Symbol.asyncDispose]())

const readerToken = 'not-a-real-token-of-a-reader'
const deployToken = 'not-a-real-token-of-a-deploy'
const teamToken = 'not-a-real-token-of-a-team-0'
const strayToken = 'not-a-real-token-of-none-000'
const earlyToken = 'not-a-real-token-of-early-00'
const may = ['note'] as const
const tokens = [
  { name: 'reader', token: readerToken, projects: undefined },
  { name: 'deploy', token: deployToken, projects: undefined, may },
  { name: 'team', token: teamToken, projects: ['demo/ord*'], may },
  { name: 'stray', token: strayToken, projects: ['demo/none'], may },
  { name: 'early', token: earlyToken, projects: ['demo/ord*', 'demo/none'], may },
]
const faults: unknown[] = []
const history = async () => demo.history
const now = () => Date.now()
const masking = async () => createMaskingSealer([deployToken])
const pages = openPages({
  access: openAccess({
    settings: { tokens, trustedProxy: undefined },
    now,
    watch: { entered: () => {}, slowed: () => {} },
  }),
  siteOf: ({ projects }) => createSite(projects === undefined ? demo.options : scopeSite(demo.options, projects)),
  isHostOfPort: () => true,
  onFault: (error) => faults.push(error),
  notes: { history, masking, now, onFault: (error) => faults.push(error) },
})

async function ask(path: string, { headers = {}, ...init }: RequestInit & { headers?: Record<string, string> } = {}) {
  const request = new Request(`http://localhost${path}`, { ...init, headers: { host: 'localhost', ...headers } })
  return pages(request, '192.0.2.1')
}

const authorization = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })

function post(body: unknown, headers: Record<string, string> = authorization(deployToken), path = '/api/v1/notes') {
  return ask(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), headers })
}

const jsonOf = async (answer: Response) => JSON.parse(await answer.text())
const noted = async () => (await listNotes(demo.history)).length

describe('POST /api/v1/notes', () => {
  it('records a note with the name of its token, and answers with its row', async () => {
    const at = new Date(Date.now() - 60_000).toISOString()
    const answer = await post({ text: 'deploy 4.2', at, ref: 'https://ci.example.com/42', projects: ['demo/orders'] })
    expect(answer.status).toBe(201)
    expect([answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      'application/json',
      'no-store',
    ])
    const row = await jsonOf(answer)
    expect(row).toEqual({
      id: expect.any(Number),
      at,
      text: 'deploy 4.2',
      ref: 'https://ci.example.com/42',
      by: 'deploy',
      projects: ['demo/orders'],
      noted_at: expect.any(String),
      os_user: null,
    })
    const listed = await ask('/api/v1/notes', { headers: authorization(readerToken) })
    expect(await jsonOf(listed)).toMatchObject({ schema: 'hookdrift.note/2', run: null, rows: [row] })
    const said = await demo.command('note --list --format json')
    expect(JSON.parse(said.stdout).rows).toEqual([row])
  })

  it('masks a token of the configuration that its text repeats', async () => {
    const row = await jsonOf(await post({ text: `by ${deployToken}`, ref: `see ${deployToken}.` }))
    expect(row).toMatchObject({ text: 'by sealed:masked', ref: 'see sealed:masked.' })
  })

  it('makes pages anew that name notes, and no others', async () => {
    const headers = authorization(readerToken)
    const tagOf = async (path: string) => (await ask(path, { headers })).headers.get('etag') ?? ''
    const tag = await tagOf('/api/v1/report')
    expect((await ask('/api/v1/report', { headers: { ...headers, 'if-none-match': tag } })).status).toBe(304)
    const { drift } = await jsonOf(await ask('/api/v1/report', { headers }))
    const { project, between } = drift[0]
    expect((await post({ text: 'late <b>note</b>', at: between.before, ref: 'javascript:alert(1)' })).status).toBe(201)
    // What is a second old is trusted.
    await expect.poll(async () => (await tagOf('/api/v1/report')) !== tag).toBe(true)
    const report = await jsonOf(await ask('/api/v1/report', { headers }))
    expect(report.notes).toMatchObject([{ text: 'late <b>note</b>' }])
    expect(report.drift[0]).toMatchObject({ project, notes: [report.notes[0].id] })
    for (const path of [
      '/',
      `/projects/${project}`,
      '/runs/2',
      `/resources/${drift[0].uid}?project=${project}&kind=${drift[0].kind}`,
    ]) {
      const page = await (await ask(path, { headers })).text()
      expect(page).toContain('late &lt;b&gt;note&lt;/b&gt; (deploy, ')
      expect(page).not.toMatch(/href="javascript/)
    }
  })

  it('takes from a token of some projects what is about those only', async () => {
    const own = authorization(teamToken)
    expect(await jsonOf(await post({ text: 'of mine' }, own))).toMatchObject({ projects: ['demo/orders'], by: 'team' })
    expect((await post({ text: 'of mine', projects: ['orders'] }, own)).status).toBe(201)
    const before = await noted()
    for (const projects of [['demo/payments'], ['demo/orders', 'demo/payments'], ['demo/no-such-one']]) {
      expect((await post({ text: 'of others', projects }, own)).status).toBe(403)
    }
    // A project of its that no run has scanned yet does not matter.
    expect(await jsonOf(await post({ text: 'of mine' }, authorization(earlyToken)))).toMatchObject({
      projects: ['demo/orders'],
    })
    // A note about no project would be one about all.
    expect((await post({ text: 'of none' }, authorization(strayToken))).status).toBe(400)
    expect(await noted()).toBe(before + 1)
    expect((await post({ text: 'secret plans', projects: ['demo/payments'] })).status).toBe(201)
    const seen = await jsonOf(await ask('/api/v1/notes', { headers: own }))
    expect(seen.rows.map(({ projects }: { projects: string[] }) => projects)).not.toContainEqual(['demo/payments'])
    expect(JSON.stringify(seen)).not.toContain('secret plans')
  })

  it('refuses who has no token with the right to it, and changes nothing', async () => {
    const before = await noted()
    const login = await ask('/login', {
      method: 'POST',
      body: new URLSearchParams({ token: deployToken }).toString(),
      headers: formHeaders,
    })
    const type = { 'content-type': 'application/json' }
    const { status, headers } = await post({ text: 'x' }, type)
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="hookdrift"'])
    const refused = [
      [401, { ...type, authorization: 'Bearer not-a-real-token-at-all-0' }],
      // A browser sends the cookie of a login by itself.
      [401, { ...type, cookie: cookieOf(login) }],
      [403, authorization(readerToken)],
      [403, { ...authorization(deployToken), 'sec-fetch-site': 'cross-site' }],
      [403, { ...authorization(deployToken), origin: 'https://evil.example' }],
      [415, { authorization: `Bearer ${deployToken}`, 'content-type': 'text/plain' }],
      [415, { ...authorization(deployToken), 'content-type': 'application/x-www-form-urlencoded' }],
    ] as const
    for (const [expected, sent] of refused) {
      const answer = await post({ text: 'x' }, sent)
      expect([answer.status, sent]).toEqual([expected, sent])
      expect(await jsonOf(answer)).toMatchObject({ error: { message: expect.any(String) } })
    }
    expect(await noted()).toBe(before)
  })

  it.each([
    ['no JSON', '{"text":', 400],
    ['no object', '[]', 400],
    ['nothing', '', 400],
    ['no text', {}, 400],
    ['a blank text', { text: ' ' }, 400],
    ['another type', { text: 7 }, 400],
    ['a long text', { text: 'x'.repeat(501) }, 400],
    ['a long reference', { text: 'x', ref: 'y'.repeat(501) }, 400],
    ['an unknown member', { text: 'x', by: 'root' }, 400],
    ['no time', { text: 'x', at: 'soon' }, 400],
    ['a time to come', { text: 'x', at: '9999-01-01T00:00:00Z' }, 400],
    ['an unknown project', { text: 'x', projects: ['demo/nothing'] }, 400],
    ['no projects', { text: 'x', projects: [] }, 400],
    ['too much', { text: 'x', ref: 'y'.repeat(5000) }, 413],
  ])('refuses %s', async (_, body, status) => {
    const before = await noted()
    const answer = await post(body)
    expect([answer.status, await jsonOf(answer)]).toMatchObject([status, { error: { message: expect.any(String) } }])
    expect(await noted()).toBe(before)
  })

  it.each([
    ['{"text":', 'the JSON breaks off'],
    ['{"text":"a","text":"b"}', 'JSON with a key twice in one object'],
    ['{"text":"a","\\u0074ext":"b"}', 'JSON with a key twice in one object'],
    ['{"text":"a","projects":["demo/orders"],"projects":[]}', 'JSON with a key twice in one object'],
    ['{"text":"\\ud800"}', 'JSON with half a surrogate pair'],
    ['{"text":"a","ref":"\\udc00x"}', 'JSON with half a surrogate pair'],
    ['{"text":"a","projects":["\\ud800"]}', 'JSON with half a surrogate pair'],
    ['{"text":12345678901234567890}', 'text is missing or does not fit, expected text that is not empty'],
    ['{"text":"a","ref":1e999}', 'ref is missing or does not fit, expected text that is not empty'],
    [
      '{"when":"now","what":"a"}',
      'text is missing or does not fit, expected text that is not empty; `when`, `what` is unknown',
    ],
    [`{"text":"${'a'.repeat(501)}"}`, 'text has more than 500 characters'],
    ['[]', 'the body is missing or does not fit, expected a mapping'],
    ['\ufeff{"text":"a"}', 'malformed JSON'],
  ])('refuses %s: not what was sent would be stored', async (body, reason) => {
    const before = await noted()
    expect(await jsonOf(await post(body))).toMatchObject({ error: { message: `not a note: ${reason}` } })
    expect(await noted()).toBe(before)
  })

  it.each([
    ['number:12345678901234567890', 'number:12345678901234567890'],
    ['text:number:12345678901234567890', 'text:number:12345678901234567890'],
    ['a\u0000b', expect.stringContaining('b')],
    ['  blanks\u00a0', 'blanks'],
    ['e\u0301 \u{1f680} \u202e', expect.stringMatching(/^e\u0301 \u{1f680}/u)],
    [`key ${deployToken}`, expect.not.stringContaining(deployToken)],
  ])('echoes %j as readers get it', async (text, expected) => {
    const echoed = await jsonOf(await post({ text, ref: text }))
    const { rows } = await jsonOf(await ask('/api/v1/notes', { headers: authorization(deployToken) }))
    expect(echoed).toEqual(rows[0])
    expect(echoed.text).toEqual(expected)
  })

  it('is the one address that takes something, and takes it in one way', async () => {
    const headers = authorization(deployToken)
    for (const path of ['/api/v1/notes/', '/api/v1/accept', '/api/v1/note', '/api/v1', '/', '/violations']) {
      expect([path, (await post({ text: 'x' }, headers, path)).status]).toEqual([path, 405])
    }
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await ask('/api/v1/notes', { method, headers })
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD, POST'])
    }
    expect((await post({ text: 'x' }, headers, '/api/v1/notes?text=y')).status).toBe(400)
    // Without a history to write to, nothing takes one.
    const closed = openPages({
      access: openAccess({ settings: { tokens, trustedProxy: undefined }, now, watch: { entered() {}, slowed() {} } }),
      siteOf: () => createSite(demo.options),
      isHostOfPort: () => true,
      onFault: () => {},
    })
    const request = new Request('http://localhost/api/v1/notes', { method: 'POST', body: '{}', headers })
    expect((await closed(request, undefined)).status).toBe(405)
  })

  it('says that a history cannot be written, and not why', async () => {
    const closed = await openExistingHistory(readLocation(demo.file, '/'), {})
    await closed.close()
    const broken = openPages({
      access: openAccess({ settings: { tokens, trustedProxy: undefined }, now, watch: { entered() {}, slowed() {} } }),
      siteOf: () => createSite(demo.options),
      isHostOfPort: () => true,
      onFault: () => {},
      notes: { history: async () => closed, masking, now, onFault: (error) => faults.push(error) },
    })
    const request = new Request('http://localhost/api/v1/notes', {
      method: 'POST',
      body: '{"text":"x"}',
      headers: { host: 'localhost', ...authorization(deployToken) },
    })
    const answer = await broken(request, undefined)
    expect([500, 503]).toContain(answer.status)
    expect(await answer.text()).not.toContain(demo.file)
    expect(faults.splice(0)).toHaveLength(1)
  })
})

it('the description of the API has the note as what may be sent', async () => {
  const { paths } = await jsonOf(await ask('/api/v1/openapi.json', { headers: authorization(readerToken) }))
  const posts = Object.entries<object>(paths).flatMap(([path, methods]) => ('post' in methods ? [path] : []))
  expect(posts).toEqual(['/api/v1/notes'])
  expect(paths['/api/v1/notes'].post.responses).toMatchObject({ 201: {}, 401: {}, 403: {}, 413: {}, 415: {} })
})
