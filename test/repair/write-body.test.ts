import { execFile, spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { resourceFields } from '../../src/gateway/fields.ts'
import { composeRepair } from '../../src/gateway/repair/compose-repair.ts'
import { placeholdersIn, spell, spellBody } from '../../src/gateway/repair/pieces.ts'
import { createPlaceholders, namesSpelledIn } from '../../src/gateway/repair/placeholders.ts'
import { activationOf, type RepairCase, type RepairRequest } from '../../src/gateway/repair/repair.ts'
import { writeBody } from '../../src/gateway/repair/write-body.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { maskedSeal } from '../../src/model/resource.ts'

const reference = (name: string) => `\${${name}}`
const sealOf = (digit: string) => `sealed:${digit.repeat(32)}`

function repairOf(job: Partial<RepairCase> & Pick<RepairCase, 'target' | 'changed'>) {
  return composeRepair({
    kind: 'endpoint',
    projectUid: 'P1',
    uid: 'E1',
    now: { name: 'a', url: 'https://a.example' },
    gone: [],
    reserved: [],
    activation: 'request',
    ...job,
  })
}

/** People send what is printed with it. */
const hasCurl = spawnSync('curl', ['--version']).error === undefined

describe('the side effects of a request', () => {
  const notesOf = (job: Partial<RepairCase> & Pick<RepairCase, 'target' | 'changed'>) => repairOf(job).notes.join(' ')

  it('are that the gateway requests an address over https first', () => {
    const of = (url: string) => notesOf({ target: { name: 'b', url }, changed: ['/name'] })
    expect(of('https://a.example')).toMatch(/^From v25\.11\.1 on, Convoy first requests the URL[^.]*\.$/)
    expect(of('http://a.example')).toBe('')
  })

  it('are what a licence decides', () => {
    const target = { name: 'a', url: 'http://a.example', http_timeout: 30 }
    expect(notesOf({ target, changed: ['/http_timeout'] })).toMatch(/^Without a licence/)
  })

  it('of an update of a project are that it activates endpoints, and requests the address of meta events', () => {
    const of = (config: JsonObject) =>
      notesOf({ kind: 'project', now: { name: 'b' }, target: { name: 'a', config }, changed: ['/name'] })
    expect(of({ disable_endpoint: false })).toMatch(/also activates every inactive endpoint/)
    const meta_event = { is_enabled: true, url: 'https://meta.example' }
    const off = of({ disable_endpoint: true, meta_event })
    expect(off).not.toMatch(/activates/)
    expect(off).toMatch(/Meta events are on/)
  })

  it('are none where no request is printed', () => {
    const repair = repairOf({
      target: { url: 'https://a.example', status: 'inactive' },
      now: { url: 'https://a.example', status: 'active' },
      changed: ['/status'],
    })
    expect(repair.notes).toEqual([])
  })
})

describe('a body', () => {
  const { subscription, source, project, endpoint } = resourceFields

  it('has durations, lists and nested names as the request takes them', () => {
    const retries = { retry_config: { type: 'linear', duration: 1.5, retry_count: 3 } }
    expect(writeBody(subscription, { target: retries, now: {} }).body).toEqual({
      retry_config: { type: 'linear', duration: '1.5s', retry_count: 3 },
    })
    const versions = {
      '#0': { hash: 'MD5', encoding: 'hex' },
      V1: { hash: 'SHA256', encoding: 'hex', created_at: null },
    }
    expect(writeBody(project, { target: { config: { signature: { versions } } }, now: {} }).body).toEqual({
      config: {
        signature: {
          versions: [
            { hash: 'MD5', encoding: 'hex' },
            { uid: 'V1', hash: 'SHA256', encoding: 'hex', created_at: null },
          ],
        },
      },
    })
    const amqp = { host: 'mq.example', bindedExchange: 'hooks', routingKey: 'orders' }
    expect(writeBody(source, { target: { pub_sub: { type: 'amqp', amqp } }, now: {} }).body).toEqual({
      pub_sub: {
        type: 'amqp',
        amqp: { host: 'mq.example', bindExchange: { exchange: 'hooks', routingKey: 'orders' } },
      },
    })
  })

  it('leaves to a person what the request that creates a resource ignores', () => {
    const reason = 'The request that creates the resource ignores it: update the new one, and audit again.'
    const retries = { retry_config: { type: 'linear', duration: 10, retry_count: 3 } }
    const left = (path: string) => ({ body: {}, manualSteps: [{ path, reason }] })
    expect(writeBody(subscription, { target: retries, now: undefined })).toEqual(left('/retry_config'))
    expect(writeBody(source, { target: { is_disabled: true }, now: undefined })).toEqual(left('/is_disabled'))
    const empty = { is_disabled: false, forward_headers: [] }
    expect(writeBody(source, { target: empty, now: undefined })).toEqual({ body: {}, manualSteps: [] })
  })

  it('sends a field that was not shown then as it is now, except a member of an object whose absence means empty', () => {
    const now = { name: 'b', content_type: 'application/json', authentication: { type: 'api_key', api_key: {} } }
    const target = { name: 'a', authentication: { type: 'basic_auth', basic_auth: { username: 'u' } } }
    expect(writeBody(endpoint, { target, now }).body).toEqual({ ...target, content_type: 'application/json' })
  })

  it.each([
    ['the release that alone has it', { verify_dynamic_events: false }, 'sync_dynamic_event_ack'],
    ['the same, as an earlier hookdrift kept it', { sync_dynamic_event_ack: false }, 'sync_dynamic_event_ack'],
    ['a later release', { verify_dynamic_events: false, allow_unmatched_dynamic_urls: false }, 'verify_dynamic_events'],
    ['an answer without the setting', {}, 'verify_dynamic_events'],
  ])('has the name of a setting as the last answer shows it: %s', (_, shown, name) => {
    for (const config of [{ verify_dynamic_events: true }, { sync_dynamic_event_ack: true }]) {
      const written = writeBody(project, { target: { config }, now: { config: shown } })
      expect(written).toMatchObject({ body: { config: { [name]: true } }, manualSteps: [] })
      expect(Object.keys(Object(written.body.config)).filter((key) => /^(sync|verify)_/.test(key))).toEqual([name])
    }
  })

  it('has the name of a setting as the project had it that is gone', () => {
    const nameOf = (config: JsonObject) => {
      return Object.keys(Object(writeBody(project, { target: { config }, now: undefined }).body.config))
    }
    expect(nameOf({ verify_dynamic_events: true })).toEqual(['sync_dynamic_event_ack'])
    const later = ['verify_dynamic_events', 'allow_unmatched_dynamic_urls']
    expect(nameOf({ verify_dynamic_events: true, allow_unmatched_dynamic_urls: false })).toEqual(later)
  })

  it('never has both names of a setting', () => {
    const config = { verify_dynamic_events: true, sync_dynamic_event_ack: false, allow_unmatched_dynamic_urls: false }
    expect(writeBody(project, { target: { config }, now: { config } }).body).toEqual({
      config: { verify_dynamic_events: true, allow_unmatched_dynamic_urls: false },
    })
  })

  it('gives members that hookdrift does not know back to an object that is replaced', () => {
    const target = { config: { later_setting: 'x-id' }, colour: 'red' }
    expect(writeBody(project, { target, now: {} })).toMatchObject({
      body: { config: { later_setting: 'x-id' } },
      manualSteps: [{ path: '/colour' }],
    })
  })
})

const spellSent = ([request]: readonly RepairRequest[]) => Object(request?.body ? spellBody(request.body) : {})
const verifiers = [
  { type: 'noop' },
  { type: 'hmac', hmac: { header: 'X-Signature', hash: 'SHA256', encoding: 'hex' } },
  { type: 'basic_auth', basic_auth: { username: 'sender' } },
  { type: 'api_key', api_key: { header_name: 'X-Key' } },
] as const

describe('what is left to a person', () => {
  it('leaves out signing secrets where one side lists a deleted one more', () => {
    const secrets = { k1: { value: sealOf('1'), deleted_at: '2026-11-20T00:00:00Z' } }
    const job = { target: { name: 'b', secrets: {} }, now: { name: 'a', secrets }, changed: ['/name'] }
    expect(repairOf(job).manualSteps.map(({ path }) => path)).not.toContain('/secrets')
    expect(repairOf({ ...job, changed: ['/secrets/k1'] }).manualSteps.map(({ path }) => path)).toContain('/secrets')
  })

  it('is a field that the service never showed', () => {
    const { manualSteps: left, requests } = repairOf({
      target: { name: 'b', url: 'https://a.example' },
      changed: ['/name'],
    })
    expect(requests[0]?.restores).toEqual(['/name'])
    expect(left.map(({ path }) => path)).toContain('/description')
    expect(left.every(({ reason }) => reason.includes('never showed'))).toBe(true)
  })

  it.each(verifiers.flatMap((then) => verifiers.map((now) => [then.type, now.type, then, now] as const)))(
    'is the verifier of a source where it was %s and is %s, if an update would have to add or remove it',
    (was, is, then, now) => {
      const isOpen = [was, is].map((type) => type === 'noop')
      const isLeft = isOpen[0] !== isOpen[1]
      const changed = was === is ? ['/name'] : ['/name', '/verifier/type']
      const [target, present] = [
        { name: 'b', type: 'http', verifier: then },
        { name: 'a', type: 'http', verifier: now },
      ]
      const { requests, manualSteps: left } = repairOf({ kind: 'source', target, now: present, changed })
      const reason = was === 'noop' ? 'no update turns verification off' : 'answers 500'
      const step = { path: '/verifier', reason: expect.stringContaining(reason) }
      expect(left.filter(({ path }) => path === '/verifier')).toEqual(isLeft ? [step] : [])
      expect(requests.map(({ method, restores }) => [method, restores])).toEqual([
        ['PUT', isLeft ? ['/name'] : changed],
      ])
      const { verifier = 'left out' } = spellSent(requests)
      expect(verifier).toEqual(isOpen.includes(true) ? 'left out' : then)
      const alone = repairOf({ kind: 'source', target, now: present, changed: ['/verifier/type'] })
      expect(alone.requests).toHaveLength(isLeft ? 0 : 1)
    },
  )

  it('never includes the verifier of a source that is gone, or whose present verifier is not shown', () => {
    for (const verifier of verifiers) {
      const target = { name: 'b', type: 'http', verifier }
      const isOpen = verifier.type === 'noop'
      for (const [now, method, sent] of [
        [undefined, 'POST', verifier],
        [{ name: 'a', type: 'http' }, 'PUT', isOpen ? undefined : verifier],
      ] as const) {
        const { requests, manualSteps: left } = repairOf({ kind: 'source', target, now, changed: ['/name'] })
        expect(requests).toMatchObject([{ method }])
        expect(spellSent(requests).verifier).toEqual(sent)
        expect(left.map(({ path }) => path)).not.toContain('/verifier')
      }
    }
  })

  it('is never a field that older releases do not have', () => {
    const job = { kind: 'source', target: { name: 'b' }, now: { name: 'a' }, changed: ['/name'] } as const
    const { manualSteps: left } = repairOf(job)
    expect(left.map(({ path }) => path)).toContain('/body_function')
    expect(left.map(({ path }) => path)).not.toContain('/event_type_location')
  })

  it('is what only the request of the creation sets; then nothing is sent for it alone', () => {
    const job = {
      kind: 'source',
      target: { name: 's', provider: 'github' },
      now: { name: 's', provider: null },
    } as const
    const { manualSteps: left, requests } = repairOf({ ...job, changed: ['/provider'] })
    expect(requests).toEqual([])
    expect(left).toEqual([{ path: '/provider', reason: expect.stringContaining('creates') }])
  })
})

describe('the status of an endpoint', () => {
  const cases = [
    ['active', 'paused', 'request', ['POST activate'], false],
    ['active', 'paused', 'switch', ['PUT pause'], false],
    ['active', 'paused', undefined, ['POST activate?', 'PUT pause?'], false],
    ['active', 'inactive', 'request', ['POST activate'], false],
    ['active', 'inactive', 'switch', [], true],
    ['active', 'inactive', undefined, ['POST activate?'], true],
    ['paused', 'active', 'request', ['PUT pause'], false],
    ['paused', 'active', 'switch', ['PUT pause'], false],
    ['paused', 'active', undefined, ['PUT pause'], false],
    ['paused', 'inactive', 'request', ['POST activate', 'PUT pause'], false],
    ['paused', 'inactive', 'switch', [], true],
    ['paused', 'inactive', undefined, ['POST activate?', 'PUT pause'], true],
    ['inactive', 'active', 'request', [], true],
  ] as const

  it.each(cases)('was %s and is %s: with a %s to activate it, %j', (then, now, activation, expected, isLeft) => {
    const job = { target: { status: then }, now: { status: now }, changed: ['/status'], activation }
    const { requests, manualSteps: left } = repairOf(job)
    const lines = requests.map(({ method, path, when }) => {
      return `${method} ${spell(path).split('/').at(-1)}${when === null ? '' : '?'}`
    })
    expect(lines).toEqual(expected)
    expect(left.map(({ path }) => path)).toEqual(isLeft ? ['/status'] : [])
  })
})

describe('how an endpoint is activated', () => {
  const config = { ratelimit: {}, signature: {}, ssl: {}, strategy: {} }

  it.each([
    ['request', 'a setting of v26.6.5', { config: { ...config, request_id_header: 'x' } }, {}],
    ['request', 'an empty setting of v26.6.5', { config: { ...config, request_id_header: null } }, {}],
    ['request', 'a setting of v26.7.1', { config: { ...config, verify_dynamic_events: false } }, {}],
    ['request', 'a member of v26.7.3', undefined, { teams_webhook_url: 'https://teams.example/x' }],
    ['switch', 'settings without any of these', { config }, { teams_webhook_url: null }],
    [undefined, 'no settings', { name: 'p' }, {}],
    [undefined, 'a part of the settings', { config: { search_policy: '' } }, {}],
    [undefined, 'no project', undefined, { teams_webhook_url: null }],
  ])('is known as %s from %s', (expected, _, project, endpoint) => {
    expect(activationOf(project, endpoint)).toBe(expected)
  })
})

describe('a uid that does not remain one step of a path', () => {
  it.each(['.', '..', '', '\ud800'])('gets no request: %j', (uid) => {
    const job = { target: { name: 'b', status: 'paused' }, now: { name: 'a', status: 'active' } }
    const changed = ['/name', '/status']
    expect(repairOf({ ...job, changed, uid })).toEqual({
      requests: [],
      manualSteps: [{ path: '/uid', reason: expect.stringContaining('another address') }],
      notes: [],
    })
    for (const now of [job.now, undefined]) {
      expect(repairOf({ ...job, now, changed, projectUid: uid })).toMatchObject({
        requests: [],
        manualSteps: [{ path: '/project_id' }],
      })
    }
    expect(repairOf({ ...job, kind: 'project', changed, projectUid: uid, uid })).toMatchObject({
      requests: [],
      manualSteps: [{ path: '/uid' }],
    })
    expect(repairOf({ ...job, now: undefined, changed, uid }).requests.map(({ path }) => spell(path))).toEqual([
      '/projects/P1/endpoints',
    ])
  })

  it.skipIf(!hasCurl).each([
    ['...', '...'],
    ['.a', '.a'],
    ['a b', 'a%20b'],
    ['é', '%C3%A9'],
    ['a/b', 'a%2Fb'],
    ['a\\b', 'a%5Cb'],
    ['a?b#c', 'a%3Fb%23c'],
    ['%2e%2e', '%252e%252e'],
    ['a\u0000\n', 'a%00%0A'],
    [reference('ACME_KEY'), '%24%7BACME_KEY%7D'],
    ["a'b", "a'b"],
  ])('others reach the service as that step: %j', async (uid, step) => {
    const [request] = repairOf({ target: { name: 'b' }, now: { name: 'a' }, changed: ['/name'], uid }).requests
    const path = spell(request?.path ?? [])
    expect(path).toBe(`/projects/P1/endpoints/${step}`)
    const seen: (string | undefined)[] = []
    const server = createServer(({ url }, response) => {
      seen.push(url)
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${path}`
    await fetch(url)
    await promisify(execFile)('curl', ['--silent', '--url', url])
    server.close()
    expect(seen).toEqual([path, path])
  })
})

describe('placeholders', () => {
  it('share a name where the secret is the same, and never that of a text in the body', () => {
    const body = {
      url: `https://a.example/?a=${sealOf('1')}&b=${sealOf('2')}`,
      description: `${sealOf('1')} again, and ${reference('ENDPOINT_URL_SECRET')}`,
      masked: [maskedSeal, maskedSeal],
      [`tokens ${sealOf('3')}`]: true,
    }
    const filled = createPlaceholders('endpoint', namesSpelledIn(body)).fill(body)
    const tokens = `tokens ${reference('ENDPOINT_TOKENS_SECRET')}`
    expect(spellBody(filled)).toEqual({
      url: `https://a.example/?a=${reference('ENDPOINT_URL_SECRET_2')}&b=${reference('ENDPOINT_URL_SECRET_3')}`,
      description: `${reference('ENDPOINT_URL_SECRET_2')} again, and ${reference('ENDPOINT_URL_SECRET')}`,
      masked: [reference('ENDPOINT_MASKED_0'), reference('ENDPOINT_MASKED_1')],
      [tokens]: true,
    })
    expect(placeholdersIn(filled)).toEqual([
      { name: 'ENDPOINT_URL_SECRET_2', path: '/url', is: 'value' },
      { name: 'ENDPOINT_URL_SECRET_3', path: '/url', is: 'value' },
      { name: 'ENDPOINT_URL_SECRET_2', path: '/description', is: 'value' },
      { name: 'ENDPOINT_MASKED_0', path: '/masked/0', is: 'value' },
      { name: 'ENDPOINT_MASKED_1', path: '/masked/1', is: 'value' },
      { name: 'ENDPOINT_TOKENS_SECRET', path: `/${tokens}`, is: 'name' },
    ])
  })

  it('have free names, no matter how many names texts of the service spell', () => {
    const taken = Array.from({ length: 20_000 }, (_, at) => reference(`ENDPOINT_DESCRIPTION_SECRET_${at + 2}`)).join()
    const seals = Array.from({ length: 2_000 }, (_, at) => `sealed:${at.toString(16).padStart(32, '0')}`).join()
    const body = { description: `${reference('ENDPOINT_DESCRIPTION_SECRET')}${taken} ${seals}` }
    const filled = createPlaceholders('endpoint', namesSpelledIn(body)).fill(body)
    expect(placeholdersIn(filled).at(-1)?.name).toBe('ENDPOINT_DESCRIPTION_SECRET_22001')
  })

  it('say which secret is meant, and which one the service keeps if it is dropped', () => {
    const certificate = { client_cert: 'PEM', client_key: maskedSeal }
    const authentication = { type: 'basic_auth', basic_auth: { username: 'u', password: maskedSeal } }
    const target = { name: 'a', authentication, mtls_client_cert: certificate }
    const now = { name: 'b', authentication, mtls_client_cert: certificate }
    const [request] = repairOf({ target, now, changed: ['/name'] }).requests
    expect(request?.placeholders.map(({ path, hint }) => [path, hint])).toEqual([
      ['/authentication/basic_auth/password', 'the present secret'],
      [
        '/mtls_client_cert/client_key',
        'the present secret; Convoy keeps /mtls_client_cert if you drop it from the body',
      ],
    ])
  })

  it('say where a secret may be no text, so that the quotes around it are not its own', () => {
    const filter = { body: { pin: { $eq: sealOf('1') } }, headers: {}, is_flattened: false }
    const target = { name: sealOf('2'), function: `f('${sealOf('3')}')`, filter_config: { event_types: [], filter } }
    const job = { kind: 'subscription', now: { name: 's' }, changed: ['/function'] } as const
    const [request] = repairOf({ ...job, target }).requests
    const hints = request?.placeholders.map(({ path, hint }) => `${path}: ${hint.includes('drop the quotes')}`)
    expect(hints).toEqual(['/name: false', '/function: true', '/filter_config/filter/body/pin/$eq: true'])
  })
})
