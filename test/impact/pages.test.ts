import { afterAll, describe, expect, it } from 'vitest'
import { openExistingHistory } from '../../src/app/open-history.ts'
import { createApi } from '../../src/cli/api/create-api.ts'
import { setEndpointStatus } from '../../src/demo/edits.ts'
import { readLocation } from '../../src/history/location.ts'
import { openAccess } from '../../src/pages/access/open-access.ts'
import { openPages } from '../../src/pages/open-pages.ts'
import { noPlan, type SitePlan } from '../../src/pages/page.ts'
import { scopeSite } from '../../src/pages/scope.ts'
import { createSite } from '../../src/pages/site.ts'
import { impact } from '../../src/questions/impact.ts'
import { openImpactWorld } from './impact-world.ts'

const world = await openImpactWorld()
const uid = world.endpoints.billing ?? ''
await world.audit()
setEndpointStatus(world.service.fleet, { project: world.outgoing, uid }, 'paused')
for (const n of [1, 2, 3]) await world.send({ to: 'endpoint', endpoint: uid }, { n })
world.pass(60)
const { violations } = await world.audit()
const fingerprint =
  violations.find(({ kind, path }) => kind === 'endpoint' || path === '/endpoint_uid')?.fingerprint ?? ''
const { harness, terminal, asked } = world
const history = await openExistingHistory(readLocation(harness.file, harness.directory), {})
const config = `${harness.directory}/hookdrift.yaml`
const named = { config, history: harness.file }
afterAll(async () => {
  await history.close()
  await world[Symbol.asyncDispose]()
})

const askImpact: NonNullable<SitePlan['askImpact']> = async (history, given, now) => {
  const values = { ...given, project: [], kind: undefined }
  const inquiry = {
    format: 'page',
    limit: Number.POSITIVE_INFINITY,
    now,
    options: { config },
    terminal: { ...terminal, reading: { history } },
  }
  return impact.read(history, values, inquiry)
}

const tokens = [
  { name: 'all', token: 'not-a-real-token-of-all-0001', projects: undefined },
  { name: 'some', token: 'not-a-real-token-of-some-001', projects: ['acme/outgoing'] },
]

/** The pages, with readers or without, of a process with a key or without. */
function pagesOf({ hasKey = true, hasReaders = false } = {}) {
  const options = {
    history: async () => history,
    now: () => world.now(),
    version: '1.2.3',
    api: createApi(named, hasKey ? terminal : { ...terminal, env: {} }, '1.2.3'),
    isHostOfPort: () => true,
    plan: { ...noPlan, ...(hasKey && { askImpact }) },
    onFault: (error: unknown) => {
      throw error
    },
  }
  const pages = openPages({
    access: openAccess({
      settings: { tokens: hasReaders ? tokens : [], trustedProxy: undefined },
      now: options.now,
      watch: { entered: () => {}, slowed: () => {} },
    }),
    siteOf: ({ projects }) => createSite(projects === undefined ? options : scopeSite(options, projects)),
    isHostOfPort: () => true,
    onFault: options.onFault,
  })
  return async (
    path: string,
    { headers = {}, ...init }: { method?: string; body?: string; headers?: Record<string, string> } = {},
  ) => {
    const shown = { host: 'localhost', ...headers }
    const answer = await pages(new Request(`http://localhost${path}`, { ...init, headers: shown }), '127.0.0.1')
    return { status: answer.status, headers: answer.headers, body: await answer.text() }
  }
}

const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
const press = { method: 'POST', body: `target=${uid}`, headers: form }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const listsAsked = () => asked.filter((line) => /eventdeliveries|\/events/.test(line)).length

describe('the pages', () => {
  it('ask no gateway before a person presses a button, and then show what it cost', async () => {
    const ask = pagesOf()
    const violation = await ask(`/violations/${fingerprint}`)
    expect(violation.body).toContain('<form method="post" action="/impact"><input type="hidden" name="target"')
    expect((await ask(`/impact?target=${uid}`)).body).toContain('Ask the gateway')
    expect(listsAsked()).toBe(0)
    const { status, headers, body } = await ask('/impact', press)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toContain('3 deliveries failed, 0 events were never delivered')
    expect(body).toContain('eventdeliveries/batchretry?')
    expect(listsAsked()).toBeGreaterThan(0)
  })

  it('say what is wrong with a target or a window', async () => {
    const ask = pagesOf()
    for (const [body, said] of [
      ['target=nothing', /has no resource/],
      [`target=${uid}&from=never`, /not a run or a time/],
      ['other=1', /unknown parameter/],
    ] as const) {
      expect(await ask('/impact', { ...press, body })).toMatchObject({ status: 400, body: expect.stringMatching(said) })
    }
  })

  it.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another origin', { 'sec-fetch-site': undefined, origin: 'https://evil.example' }],
  ])('take no form %s', async (_, headers) => {
    const before = listsAsked()
    const all = Object.entries({ ...form, ...headers }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    )
    expect((await pagesOf()('/impact', { ...press, headers: Object.fromEntries(all) })).status).toBe(403)
    expect(listsAsked()).toBe(before)
  })

  it.each([
    ['of all projects', tokens[0]?.token ?? '', true],
    ['of some projects', tokens[1]?.token ?? '', true],
  ])('show the command to readers %s, and ask nothing for them', async (_, token) => {
    const ask = pagesOf({ hasReaders: true })
    const before = listsAsked()
    for (const path of [`/violations/${fingerprint}`, `/impact?target=${uid}`]) {
      const { body } = await ask(path, { headers: bearer(token) })
      expect(body).not.toContain('method="post" action="/impact"')
      expect(body).toContain('hookdrift impact ')
    }
    expect((await ask('/impact', { ...press, headers: { ...form, ...bearer(token) } })).status).toBe(403)
    expect(listsAsked()).toBe(before)
  })

  it('show the command where the process has no key', async () => {
    const ask = pagesOf({ hasKey: false })
    expect((await ask(`/violations/${fingerprint}`)).body).toContain('hookdrift impact ')
    expect((await ask('/impact', press)).status).toBe(403)
  })
})

describe('the API and the tools for assistants', () => {
  const tool = async (ask: ReturnType<typeof pagesOf>, headers: Record<string, string> = {}) => {
    const call = (method: string, params: object) =>
      ask('/mcp', {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      })
    const { result } = JSON.parse((await call('tools/list', {})).body)
    const listed = result.tools.find(({ name }: { name: string }) => name === 'impact')
    const called = JSON.parse((await call('tools/call', { name: 'impact', arguments: { target: uid } })).body)
    return { listed, called }
  }

  it('have `impact` where the process has the key: it reaches into the world, and changes nothing', async () => {
    const ask = pagesOf()
    const { status, body } = await ask(`/api/v1/impact?target=${uid}`)
    expect(status).toBe(200)
    expect(JSON.parse(body)).toMatchObject({
      schema: 'hookdrift.impact/1',
      rows: [{ deliveries: { Discarded: 3 } }],
      sent: false,
    })
    const { listed, called } = await tool(ask)
    expect(listed.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: true, destructiveHint: false })
    expect(called.result.structuredContent).toMatchObject({ rows: [{ undelivered: 0 }] })
    expect(called.result.structuredContent.commands.join('\n')).toContain('curl --silent')
  })

  it('do not have it where the process has no key', async () => {
    const ask = pagesOf({ hasKey: false })
    expect((await ask(`/api/v1/impact?target=${uid}`)).status).toBe(404)
    expect((await ask('/api/v1/')).body).not.toContain('impact')
    const { listed, called } = await tool(ask)
    expect([listed, called.error.message]).toEqual([undefined, expect.stringContaining('no tool "impact"')])
  })

  it('do not have it for readers of some projects', async () => {
    const ask = pagesOf({ hasReaders: true })
    const before = listsAsked()
    const some = bearer(tokens[1]?.token ?? '')
    expect((await ask(`/api/v1/impact?target=${uid}`, { headers: some })).status).toBe(403)
    expect((await tool(ask, some)).listed).toBeUndefined()
    expect(listsAsked()).toBe(before)
  })

  it('ask nothing for a page of another site', async () => {
    const before = listsAsked()
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await pagesOf()(`/api/v1/impact?target=${uid}`, { headers })).status).toBe(403)
    expect(listsAsked()).toBe(before)
  })
})

it('only GET requests reach the gateway', () => {
  expect(asked.filter((line) => !line.startsWith('GET '))).toEqual([])
})
