import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { changeData, changeEndpoint, rotateSecret, setEndpointStatus, updateProject } from '../../src/demo/edits.ts'
import { type FleetOptions, generateFleet } from '../../src/demo/generate-fleet.ts'
import { renderEndpoint, renderSubscription } from '../../src/demo/render.ts'
import { type ServiceOptions, type SimulatedService, startSimulatedService } from '../../src/demo/simulated-service.ts'
import { ask } from './ask.ts'

let service: SimulatedService
afterEach(() => service?.close())

const start = async (fleet: FleetOptions = {}, options: ServiceOptions = {}) => {
  service = await startSimulatedService(generateFleet(fleet), options)
  return service
}

const walk = async (list: string, perPage: number) => {
  const uids: string[] = []
  for (let cursor = '', more = true; more; ) {
    const { json } = await ask(service, `/${list}?perPage=${perPage}&next_page_cursor=${cursor}`)
    uids.push(...json.data.content.map(({ uid }: { uid: string }) => uid))
    more = json.data.pagination.has_next_page
    cursor = json.data.pagination.next_page_cursor
  }
  return uids
}

describe('the simulated service', () => {
  it.each([1, 7, 24, 1000])('lists each resource once in pages of %i', async (perPage) => {
    const { fleet } = await start()
    const [project] = fleet.projects()
    const { endpoints, subscriptions } = fleet.open(project?.uid ?? '')
    expect(await walk('endpoints', perPage)).toEqual(endpoints.map(({ uid }) => uid))
    expect(await walk('subscriptions', perPage)).toEqual(subscriptions.map(({ uid }) => uid))
  })

  it('answers the same whether pages are rendered before or on request, also after an edit', async () => {
    await start()
    const plain = await ask(service, '/endpoints?perPage=10')
    await service.close()
    await start({}, { prerender: 10 })
    expect((await ask(service, '/endpoints?perPage=10')).text).toBe(plain.text)
    const project = service.fleet.projects()[0]?.uid ?? ''
    const [newest] = service.fleet.open(project).endpoints
    rotateSecret(service.fleet, { project, uid: newest?.uid ?? '' })
    expect((await ask(service, '/endpoints?perPage=10')).json.data.content[0].secrets).toHaveLength(2)
  })

  it('takes an update of an endpoint, and clears what it omits', async () => {
    const { fleet } = await start()
    const project = fleet.projects()[0]?.uid ?? ''
    const before = fleet.open(project).endpoints.find(({ authentication }) => authentication !== null)
    const headers = { 'content-type': 'application/json' }
    const put = (body: string, uid = before?.uid) => ask(service, `/endpoints/${uid}`, { method: 'PUT', body, headers })
    const { status, json } = await put('{"name":"new","url":"https://new.example.com","secrets":[]}')
    expect([status, json.message, json.data.authentication]).toEqual([202, 'Endpoint updated successfully', {}])
    const after = fleet.open(project).endpoints.find(({ uid }) => uid === before?.uid)
    expect(after).toMatchObject({ name: 'new', authentication: null, rate_limit: 0, secrets: before?.secrets })
    expect(after?.updated_at).not.toBe(before?.updated_at)
    expect(json.data.updated_at).toBe(after?.updated_at)
    expect((await put('{"name":"new"}')).status).toBe(400)
    expect((await put('{"name":')).status).toBe(400)
    expect((await put('{"name":"a","url":"b"}', '01M7XVZ2T417WGWM74AAK885VQ')).status).toBe(400)
  })

  it.each([
    ['whole', 'seed', 400, 500, 0],
    ['where they are sent', 'later', 202, 202, 51_200],
  ] as const)(
    'replaces the settings of a project %s in the release %s, and activates its endpoints',
    async (_, release, withoutStrategy, withoutSignature, max_payload_read_size) => {
      const { fleet } = await start({}, { release })
      const project = fleet.projects()[0]?.uid ?? ''
      const { signature, strategy } = fleet.project(project)?.config ?? {}
      const uid = fleet.open(project).endpoints[0]?.uid ?? ''
      const put = async (body: object) => {
        const headers = { 'content-type': 'application/json' }
        return (await ask(service, '', { method: 'PUT', body: JSON.stringify(body), headers })).status
      }
      expect(await put({ config: { signature, strategy } })).toBe(400)
      expect(await put({ name: 'a', config: { signature } })).toBe(withoutStrategy)
      expect(await put({ name: 'a', config: { strategy } })).toBe(withoutSignature)
      setEndpointStatus(fleet, { project, uid }, 'inactive')
      expect(await put({ name: 'a', config: { strategy, signature, disable_endpoint: false } })).toBe(202)
      expect(fleet.project(project)?.config).toMatchObject({ max_payload_read_size, disable_endpoint: false })
      expect(fleet.open(project).endpoints[0]?.status).toBe('active')
    },
  )

  it('keeps what a licence decides of an endpoint', async () => {
    const { fleet } = await start({}, { hasLicence: false })
    const project = fleet.projects()[0]?.uid ?? ''
    const { uid, support_email } = fleet.open(project).endpoints[0] ?? {}
    const put = async (change: object) => {
      const body = JSON.stringify({ name: 'a', url: 'https://a.example.com', ...change })
      const headers = { 'content-type': 'application/json' }
      return (await ask(service, `/endpoints/${uid}`, { method: 'PUT', body, headers })).status
    }
    expect(await put({ authentication: { type: 'basic_auth', basic_auth: { username: 'a', password: 'b' } } })).toBe(
      400,
    )
    expect(await put({ support_email: 'other@example.com', http_timeout: 30 })).toBe(202)
    expect(fleet.open(project).endpoints[0]).toMatchObject({ support_email, http_timeout: 10, name: 'a' })
  })

  it('takes no plain address where the project enforces TLS', async () => {
    const { fleet } = await start()
    const project = fleet.projects()[0]?.uid ?? ''
    const uid = fleet.open(project).endpoints[0]?.uid
    const [headers, body] = [{ 'content-type': 'application/json' }, '{"name":"a","url":"http://a.example.com"}']
    const put = () => ask(service, `/endpoints/${uid}`, { method: 'PUT', body, headers })
    updateProject(fleet, project, { ssl: { enforce_secure_endpoints: true } })
    expect(await put()).toMatchObject({ status: 400, json: { message: 'only https endpoints allowed' } })
    updateProject(fleet, project, { ssl: { enforce_secure_endpoints: false } })
    expect((await put()).status).toBe(202)
  })

  it('neither adds a verifier to a source nor removes it by an update, and changes one that is there', async () => {
    const { fleet } = await start({ incomingEvery: 1, sourcesPerProject: 1 })
    const project = fleet.projects()[0]?.uid ?? ''
    const [source] = fleet.open(project).sources
    const row = () => fleet.open(project).sources[0]
    const none = { hmac: null, basic_auth: null, api_key: null }
    const [hmac, apiKey] = [
      { ...none, type: 'hmac', hmac: { header: 'X-Sig', hash: 'SHA256', secret: 'not-a-real-key', encoding: 'hex' } },
      { ...none, type: 'api_key', api_key: { header_name: 'X-Key', header_value: 'not-a-real-key' } },
    ]
    const put = async (verifier: object | undefined) => {
      const body = JSON.stringify({ name: 'put', type: 'http', verifier })
      const headers = { 'content-type': 'application/json' }
      const { status, text } = await ask(service, `/sources/${source?.uid}`, { method: 'PUT', body, headers })
      return [status, text === '' ? 'empty' : 'JSON']
    }
    changeData(fleet, project, (data) => ({
      ...data,
      sources: data.sources.map((each) => ({ ...each, verifier: null })),
    }))
    const open = row()
    for (const verifier of [hmac, apiKey]) expect(await put(verifier)).toEqual([500, 'empty'])
    expect(row()).toEqual(open)
    for (const verifier of [undefined, {}, { type: 'noop' }]) expect(await put(verifier)).toEqual([202, 'JSON'])
    expect(row()).toMatchObject({ name: 'put', verifier: null })
    changeData(fleet, project, (data) => ({
      ...data,
      sources: data.sources.map((each) => ({ ...each, verifier: hmac })),
    }))
    for (const verifier of [undefined, {}, { type: 'noop' }]) {
      expect(await put(verifier)).toEqual([202, 'JSON'])
      expect(row()?.verifier).toEqual(hmac)
    }
    expect(await put(apiKey)).toEqual([202, 'JSON'])
    expect(row()?.verifier).toEqual(apiKey)
  })

  it('takes null in an update of a source for a member that is left out, and an empty one for an empty one', async () => {
    const { fleet } = await start({ incomingEvery: 1, sourcesPerProject: 1 })
    const project = fleet.projects()[0]?.uid ?? ''
    const row = () => fleet.open(project).sources[0]
    const put = async (members: object) => {
      const body = JSON.stringify({ name: 'put', type: 'http', ...members })
      const headers = { 'content-type': 'application/json' }
      const { status, json } = await ask(service, `/sources/${row()?.uid}`, { method: 'PUT', body, headers })
      return [status, json?.message]
    }
    const updated = [202, 'Source updated successfully']
    const keys = ['request.Header.X-Id']
    const response = { body: 'a', content_type: 'text/plain' }
    expect(await put({ idempotency_keys: keys, custom_response: response })).toEqual(updated)
    expect(await put({ idempotency_keys: null, verifier: null, custom_response: { body: 'b' } })).toEqual(updated)
    expect(row()).toMatchObject({ idempotency_keys: keys, custom_response: { ...response, body: 'b' } })
    expect(await put({ idempotency_keys: [] })).toEqual(updated)
    expect(row()?.idempotency_keys).toEqual([])
    const [settings, other] = [{ username: 'a', password: 'not-a-real-key' }, { secret: 'not-a-real-key' }]
    expect(await put({ verifier: { type: 'basic_auth', basic_auth: settings, hmac: other } })).toEqual(updated)
    expect(row()?.verifier).toEqual({ type: 'basic_auth', basic_auth: settings, hmac: null, api_key: null })
    expect(await put({ verifier: { type: 'basic_auth' } })).toEqual([400, 'invalid verifier config for basic auth'])
    expect((await put({ idempotency_keys: ['request.HEADER.X'] }))[0]).toBe(400)
    expect((await put({ type: 'pub_sub' }))[0]).toBe(500)
  })

  it('resets the content type of an endpoint that an update omits or sends empty', async () => {
    const { fleet } = await start()
    const project = fleet.projects()[0]?.uid ?? ''
    const { uid = '', url } = fleet.open(project).endpoints[0] ?? {}
    for (const content_type of [undefined, '']) {
      changeEndpoint(fleet, { project, uid }, (row) => ({ ...row, content_type: 'application/x-www-form-urlencoded' }))
      const body = JSON.stringify({ name: 'put', url, content_type })
      await ask(service, `/endpoints/${uid}`, { method: 'PUT', body, headers: { 'content-type': 'application/json' } })
      expect(fleet.open(project).endpoints[0]?.content_type).toBe('application/json')
    }
  })

  it('creates one subscription for an endpoint, unless the project allows several', async () => {
    const { fleet } = await start()
    const project = fleet.projects()[0]?.uid ?? ''
    const [subscription] = fleet.open(project).subscriptions
    const headers = { 'content-type': 'application/json' }
    const create = async (endpoint_id: string | null | undefined) => {
      const body = JSON.stringify({ name: 'second', endpoint_id })
      const { status, json } = await ask(service, '/subscriptions', { method: 'POST', body, headers })
      return [status, json.message]
    }
    expect(await create('gone')).toEqual([400, 'failed to find endpoint by id'])
    expect(await create(subscription?.endpoint_id)).toEqual([400, 'a subscription for this endpoint already exists'])
    updateProject(fleet, project, { multiple_endpoint_subscriptions: true })
    expect(await create(subscription?.endpoint_id)).toEqual([201, 'Subscription created successfully'])
  })

  it('cuts pages to its largest size and says so', async () => {
    await start({}, { maxPageSize: 5 })
    const { json } = await ask(service, '/endpoints?perPage=1000')
    expect(json.data.content).toHaveLength(5)
    expect(json.data.pagination).toMatchObject({ per_page: 5, has_next_page: true })
  })

  it('refuses a revoked key, and hides a project from the personal one', async () => {
    const { fleet, behaviour } = await start()
    const [project] = fleet.projects()
    behaviour.closedProjects.add(project?.uid ?? '')
    expect((await ask(service, '/endpoints')).json.message).toBe('Project not found')
    expect((await ask(service, '/subscriptions')).json.message).toBe('unauthorized to process request')
    behaviour.refusedKeys.add(fleet.personalKey)
    expect(await ask(service, '/endpoints')).toMatchObject({ status: 401, json: { message: 'authorization failed' } })
  })

  it('answers 404 for what it does not offer', async () => {
    await start(
      {},
      { offers: { sources: false, project: false, eventTypes: false, projects: true, testFunction: false } },
    )
    for (const rest of ['/sources', ''])
      expect(await ask(service, rest)).toMatchObject({ status: 404, text: '404 page not found\n' })
    expect((await ask(service, '/endpoints')).status).toBe(200)
  })

  it.each(['//', '//gateway/api/v1/projects'])(
    'answers a path outside of /api with the dashboard: %s',
    async (path) => {
      await start()
      const answer = await fetch(`${service.url}${path}`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    },
  )

  it('tests no function without a licence', async () => {
    await start({}, { hasLicence: false })
    const answer = await ask(service, '/sources/test_function', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(400)
    expect(answer.json.message).toMatch(/^your instance does not have access to transformations/)
  })

  it('leaves data out when a function of another type returns what JSON does not know', async () => {
    await start()
    const body = JSON.stringify({ function: 'function transform() { return NaN }', payload: {}, type: 'header' })
    const { json } = await ask(service, '/sources/test_function', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(json).toEqual({ status: true, message: 'Transformer function run successfully' })
  })

  it('says how long to wait in seconds once it is of the later release', async () => {
    await start({}, { release: 'later', now: () => 1_000_000, rateLimit: { limit: 1, windowMs: 30_000 } })
    expect((await ask(service, '/endpoints')).status).toBe(200)
    const { status, headers } = await ask(service, '/endpoints')
    expect(status).toBe(429)
    expect(headers.get('retry-after')).toBe('30')
  })

  it('shows durations as texts up to version 2024-01-01 when configured', async () => {
    await start({}, { durations: 'texts' })
    const { json } = await ask(service, '/endpoints?perPage=1', { headers: { 'x-convoy-version': '2024-01-01' } })
    expect(json.data.content[0]).toMatchObject({
      http_timeout: expect.stringMatching(/^\d+s$/),
      rate_limit_duration: '60s',
    })
  })

  it('logs its requests', async () => {
    await start()
    await ask(service, '/endpoints?perPage=3')
    expect(service.requests).toMatchObject([
      { method: 'GET', path: expect.stringMatching(/endpoints\?perPage=3$/), status: 200 },
    ])
  })
})

describe('the shapes of later releases', () => {
  const shapes = JSON.parse(
    readFileSync(new URL('../fixtures/recordings/other-dialects.json', import.meta.url), 'utf8'),
  )

  it('are as in their source code', () => {
    const [item] = shapes['endpoints page, later dialect'].data.content
    const basic = { type: 'basic_auth', basic_auth: { username: 'u', password: 'not-a-real-key' } } as const
    const row = {
      ...item,
      owner_id: '',
      slack_webhook_url: '',
      support_email: '',
      mtls_client_cert: null,
      authentication: basic,
    }
    expect(JSON.stringify(renderEndpoint(row, 'later'))).toBe(JSON.stringify(item))
    const shown = shapes['subscription item, later dialect']
    const subscription = { ...shown, alert_config: null, retry_config: null, rate_limit_config: null }
    const endpoint = { ...row, status: 'active', secrets: null }
    expect(
      JSON.stringify(renderSubscription(subscription, { endpoint, source: undefined, ingestUrl: '' }, 'later')),
    ).toBe(JSON.stringify(shown))
  })
})
