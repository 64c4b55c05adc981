import { describe, expect, it } from 'vitest'
import {
  aClient,
  anAccess,
  answer,
  aService,
  faultIn,
  item,
  page,
  pageBody,
  project,
  said,
  walk,
} from './fake-service.ts'

describe('a walk', () => {
  it('reads every page and ends without a next one, even if the last page names a cursor', async () => {
    const last = { ...pageBody([item('c')]) }
    const service = await aService(
      page([item('a'), item('b')], 'c'),
      answer(200, {
        ...last,
        data: { content: [item('c')], pagination: { has_next_page: false, next_page_cursor: 'c' } },
      }),
    )
    const access = anAccess()
    const { pages, fault } = await walk(aClient(service.url), access)
    expect(fault).toBe(null)
    expect(pages).toEqual([
      { number: 1, items: [item('a'), item('b')], requestId: 'req-7' },
      { number: 2, items: [item('c')], requestId: 'req-7' },
    ])
    expect(service.requests.map(({ url }) => url.search)).toEqual(['?perPage=1000', '?perPage=1000&next_page_cursor=c'])
    expect(access.traffic).toEqual({ requests: 2, retries: 0 })
    expect(access.budget.waitedMs).toBe(0)
  })

  it('sends the key and the headers of the dialect, no content type and no sort', async () => {
    const service = await aService(page([]))
    await walk(aClient(`${service.url}/convoy`), anAccess({ projectUid: 'a/b c' }))
    const [{ method, url, headers } = {}] = service.requests
    expect(method).toBe('GET')
    expect(url?.pathname).toBe('/convoy/api/v1/projects/a%2Fb%20c/endpoints')
    expect(headers).toMatchObject({
      authorization: 'Bearer CO.notarealkeymask1.not-a-real-secret-part-of-a-key',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'x-convoy-version': '2025-11-24',
    })
    expect(headers).not.toHaveProperty('content-type')
  })

  it('speaks the dialect that is configured', async () => {
    const service = await aService(page([]))
    const client = aClient(service.url, {
      dialect: {
        keyHeader: 'X-Api-Key',
        keyScheme: '',
        pathPrefix: '/v2',
        headers: {},
        sort: 'DESC',
        direction: 'next',
      },
    })
    await walk(client, anAccess({ key: 'plain' }), 'sources')
    const [{ url, headers } = {}] = service.requests
    expect(`${url?.pathname}${url?.search}`).toBe(
      '/v2/projects/project-1/sources?perPage=1000&sort=DESC&direction=next',
    )
    expect(headers).toMatchObject({ 'x-api-key': 'plain' })
    expect(headers).not.toHaveProperty('authorization')
  })

  it('accepts null as an empty last page', async () => {
    const service = await aService(page(null))
    expect(await walk(aClient(service.url))).toEqual({
      pages: [{ number: 1, items: [], requestId: 'req-7' }],
      fault: null,
    })
  })

  it('yields pages before a fault, and nothing of the faulty page', async () => {
    const service = await aService(page([item('a')], 'b'), page([item('b'), item('a')]))
    const { pages, fault } = await walk(aClient(service.url))
    expect(pages.map(({ number }) => number)).toEqual([1])
    expect(fault).toBe('malformed: page 2: item 2 was listed before in the same walk (request id req-7)')
  })

  it('follows cursors and uids up to their limits, and keeps only digests of long ones', async () => {
    const [uid, other, cursor] = ['u'.repeat(500), `${'u'.repeat(499)}v`, 'c'.repeat(1000)]
    const service = await aService(page([item(uid)], cursor), page([item(other)]))
    const { pages, fault } = await walk(aClient(service.url))
    expect(fault).toBe(null)
    expect(pages.map(({ items }) => items[0]?.uid)).toEqual([uid, other])
    expect(service.requests[1]?.url.searchParams.get('next_page_cursor')).toBe(cursor)
  })

  it('breaks off at a repeated cursor', async () => {
    const service = await aService(page([item('a')], 'x'), page([item('b')], 'x'), page([item('c')], 'x'))
    const { pages, fault } = await walk(aClient(service.url))
    expect(pages.length).toBe(1)
    expect(fault).toBe('malformed: page 2: names a next page that was read before (request id req-7)')
  })
})

it.each([
  ['null', { status: true, message: 'ok', data: null }, null],
  ['absent', { status: true, message: 'ok' }, 'malformed: event types: data is not an array (request id req-7)'],
])(
  'a catalogue of event types is empty where its data is null, and not where it is absent: %s',
  async (_title, body, fault) => {
    const service = await aService(answer(200, body))
    const items = aClient(service.url).eventTypes(anAccess())[Symbol.asyncIterator]().next()
    expect(await faultIn(items)).toBe(fault)
  },
)

describe('an invalid page', () => {
  const pagination = { has_next_page: false, next_page_cursor: '' }
  const of = (data: unknown) => ({ status: true, message: 'ok', data })
  it.each([
    ['a status that is not true', { ...pageBody([]), status: 'true' }, 'status is not true'],
    ['no data', { status: true, message: 'ok' }, 'data is not an object'],
    ['an array instead of an envelope', [], 'the answer is not an object'],
    ['no pagination', of({ content: [] }), 'data.pagination is not an object'],
    [
      'a textual has_next_page',
      of({ content: [], pagination: { ...pagination, has_next_page: 'false' } }),
      'has_next_page is not a boolean',
    ],
    ['no cursor', of({ content: [], pagination: { has_next_page: false } }), 'next_page_cursor is not a string'],
    [
      'a next page without a cursor',
      of({ content: [item('a')], pagination: { ...pagination, has_next_page: true } }),
      'has_next_page is true and next_page_cursor is empty',
    ],
    ['no content', of({ pagination }), 'data.content is not an array'],
    ['content that is an object', of({ content: {}, pagination }), 'data.content is not an array'],
    ['null content with a next page', pageBody(null, 'x'), 'data.content is not an array'],
    [
      'an item that is not an object',
      pageBody([item('a'), 'b']),
      'data.content contains something that is not an object',
    ],
    ['an empty page with a next one', pageBody([], 'x'), 'has_next_page is true on an empty page'],
    ['an item without uid', pageBody([{ project_id: project }]), 'item 1 has no usable uid'],
    ['an empty uid', pageBody([item('')]), 'item 1 has no usable uid'],
    [
      'a uid of five hundred and one characters',
      pageBody([item('u'.repeat(501))]),
      'item 1 has a uid of more than 500 characters',
    ],
    [
      'a long uid twice',
      pageBody([item('u'.repeat(500)), item('u'.repeat(500))]),
      'item 2 was listed before in the same walk',
    ],
    [
      'a cursor of a thousand and one characters',
      pageBody([item('a')], 'c'.repeat(1001)),
      'next_page_cursor is longer than 1000 characters',
    ],
    [
      'a uid that is a number',
      pageBody([{ uid: 7, project_id: project }]),
      'item 1 has a number as its uid, expected a text',
    ],
    [
      'a project that is a number',
      pageBody([{ uid: 'a', project_id: 42 }]),
      'item 1 has a number as its project_id, expected a text',
    ],
    ['a uid twice', pageBody([item('a'), item('a')]), 'item 2 was listed before in the same walk'],
    ['an item without project', pageBody([{ uid: 'a' }]), 'item 1 has no usable project_id'],
  ])('is refused: %s', async (_title, body, what) => {
    const service = await aService(answer(200, body))
    expect(await walk(aClient(service.url))).toEqual({
      pages: [],
      fault: `malformed: page 1: ${what} (request id req-7)`,
    })
    expect(service.requests.length).toBe(1)
  })

  it('is foreign when one item belongs to another project, even with another fault', async () => {
    const service = await aService(page([item(''), item('b', { project_id: 'project-2' })]))
    expect((await walk(aClient(service.url))).fault).toMatch(/^foreign: page 1: item 2 belongs to another project/)
  })
})

describe('a filter', () => {
  it('is sent under the names of the dialect', async () => {
    const service = await aService(page([]))
    const client = aClient(service.url)
    const filters = { endpoints: { owner: 'o', name: 'n' }, subscriptions: { name: 'm', endpoints: ['a', 'b'] } }
    for (const listing of ['endpoints', 'subscriptions', 'sources'] as const)
      await walk(client, anAccess({ filters }), listing)
    expect(service.requests.map(({ url }) => url.search)).toEqual([
      '?perPage=1000&ownerId=o&q=n',
      '?perPage=1000&name=m&endpointId=a&endpointId=b',
      '?perPage=1000',
    ])
  })

  const ledger = { name: 'My LEDGER' }
  it.each([
    ['owner, kept', 'endpoints', { endpoints: { owner: 'o' } }, { owner_id: 'o' }, null],
    ['owner, ignored', 'endpoints', { endpoints: { owner: 'o' } }, { owner_id: 'O' }, 'owner'],
    ['owner, absent', 'endpoints', { endpoints: { owner: 'o' } }, {}, 'owner'],
    ['name, kept', 'endpoints', { endpoints: { name: 'ledger' } }, ledger, null],
    ['name called title', 'endpoints', { endpoints: { name: 'ledger' } }, { name: null, title: 'ledger' }, null],
    ['name, ignored', 'endpoints', { endpoints: { name: 'ledger' } }, { name: 'billing' }, 'name'],
    ['name with a wildcard of the service', 'endpoints', { endpoints: { name: 'a_b%c' } }, { name: 'xA-b..C' }, null],
    [
      'name with letters that mean something in patterns',
      'endpoints',
      { endpoints: { name: 'a.b' } },
      { name: 'axb' },
      'name',
    ],
    ['subscription name, kept', 'subscriptions', { subscriptions: { name: 'ledger' } }, ledger, null],
    ['subscription name, ignored', 'subscriptions', { subscriptions: { name: 'x' } }, ledger, 'name'],
    [
      'endpoint, kept',
      'subscriptions',
      { subscriptions: { endpoints: ['e', 'f'] } },
      { endpoint_metadata: { uid: 'f' } },
      null,
    ],
    [
      'endpoint, ignored',
      'subscriptions',
      { subscriptions: { endpoints: ['e'] } },
      { endpoint_metadata: { uid: 'f' } },
      'endpoint',
    ],
    [
      'endpoint, absent',
      'subscriptions',
      { subscriptions: { endpoints: ['e'] } },
      { endpoint_metadata: null },
      'endpoint',
    ],
  ] as const)('is checked on every item: %s', async (_title, listing, filters, more, missed) => {
    const service = await aService(page([item('a', more)]))
    const { fault } = await walk(aClient(service.url), anAccess({ filters }), listing)
    expect(fault).toBe(
      missed &&
        `malformed: page 1: item 1 does not match the ${missed} filter: the service ignored it (request id req-7)`,
    )
  })
})

it('a list of projects leaves out those that are deleted, and none whose time of deletion is not filled', async () => {
  const times = [null, '', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z', '0001-01-01T00:53:28+00:53']
  const projects = ['2026-11-21T00:00:00Z', ...times].map((time, at) => ({ uid: `p${at}`, deleted_at: time }))
  const service = await aService(answer(200, { status: true, message: 'ok', data: projects }))
  const listed = await aClient(service.url).projects({ ...anAccess(), organisation: 'o', showName: (name) => name })
  expect(listed.map(({ uid }) => uid)).toEqual(['p1', 'p2', 'p3', 'p4', 'p5'])
})

describe('a project', () => {
  const of = (data: unknown) => answer(200, { status: true, message: 'ok', data })
  const askProject = async (...answers: Parameters<typeof aService>) => {
    const service = await aService(...answers)
    return faultIn(aClient(service.url).project(anAccess()))
  }

  it('is read with all its members', async () => {
    const service = await aService(of({ uid: project, config: { strategy: null } }))
    expect(await aClient(service.url).project(anAccess())).toEqual({ uid: project, config: { strategy: null } })
    expect(service.requests[0]?.url.pathname).toBe('/api/v1/projects/project-1')
  })

  it('is foreign when another project answers', async () => {
    expect(await askProject(of({ uid: 'project-2' }))).toMatch(/^foreign: project: the answer is another project/)
  })

  it('is not offered where the operation is missing', async () => {
    expect(await askProject(answer(404, '404 page not found\n', { 'content-type': 'text/plain' }))).toBe(
      'not_offered: project: 404 not found with text/plain: not offered by this service, or a wrong base path (request id req-7)',
    )
  })

  it('is not found when the service says so', async () => {
    expect(await askProject(said(400, 'project not found'))).toMatch(/^not_found: project: 400 bad request: /)
  })

  it('is not accepted with another status than 200', async () => {
    const body = { status: true, message: 'ok', data: { uid: project } }
    expect(await askProject(answer(203, body))).toBe(
      'http: project: 203 non-authoritative information instead of 200 ok (request id req-7)',
    )
  })

  it.each([[null], [[]], [{}], [{ uid: '' }], [{ uid: 3 }]])('is invalid without a uid: %j', async (data) => {
    expect(await askProject(of(data))).toMatch(/^malformed: project: data /)
  })
})
