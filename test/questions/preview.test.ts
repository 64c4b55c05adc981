import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openExistingHistory } from '../../src/app/open-history.ts'
import { createApi } from '../../src/cli/api/create-api.ts'
import { projectScope } from '../../src/config/choose-projects.ts'
import { changeEndpoint, changeSubscription } from '../../src/demo/edits.ts'
import { readLocation } from '../../src/history/location.ts'
import { type JsonObject, pointersOverlap } from '../../src/model/json.ts'
import { at } from '../audit/fleet-fixture.ts'
import { type CliFixture, openCliFixture } from '../cli/cli-fixture.ts'
import { richEndpoint, richSubscription } from '../repair/rich-rows.ts'

let hookdrift: CliFixture
let projects: readonly string[]

beforeAll(async () => {
  hookdrift = await openCliFixture({ incomingEvery: 2, endpointsPerProject: 6, subscriptionsPerProject: 6 })
  projects = hookdrift.fleet.projects().map(({ uid }) => uid)
  for (const project of projects) {
    for (const { uid } of hookdrift.fleet.open(project).endpoints)
      changeEndpoint(hookdrift.fleet, { project, uid }, (row) => ({
        ...row,
        ...richEndpoint,
        name: `e-${uid.slice(-4)}`,
      }))
    for (const { uid } of hookdrift.fleet.open(project).subscriptions)
      changeSubscription(hookdrift.fleet, { project, uid }, (row) => ({ ...row, ...richSubscription }))
  }
  const { code, stderr } = await hookdrift.audit()
  if (code > 1) throw new Error(stderr)
})
afterAll(() => hookdrift[Symbol.asyncDispose]())

const address = (rest = '', index = 0) => `/api/v1/projects/${projects[index]}${rest}`
const request = (method: string, path: string, body?: JsonObject) =>
  JSON.stringify({ method, path, ...(body !== undefined && { body }) })
const endpointOf = (place = 0, index = 0) => at(hookdrift.fleet.open(at(projects, index)).endpoints, place)
const subscriptionOf = (place = 0, index = 0) => at(hookdrift.fleet.open(at(projects, index)).subscriptions, place)

async function preview(text: string, more: readonly string[] = []) {
  const { code, stdout, stderr } = await hookdrift.run(['preview', '--request', text, '--format', 'json', ...more])
  if (stdout === '') throw new Error(`ended with ${code}: ${stderr}`)
  return { code, ...JSON.parse(stdout) }
}

type Row = { path: string; before: unknown; after: unknown; by: string }
type Found = { rule: string; path: string; uid: string | null }

describe('an update that names a new URL only', () => {
  it('shows what it changes, and what it resets because it leaves it out', async () => {
    const { uid, name } = endpointOf()
    const body = { name, url: 'https://new.example.com/in' }
    const answer = await preview(request('PUT', address(`/endpoints/${uid}`), body))
    expect(answer.rows.map(({ path, by }: Row) => `${by} ${path}`).sort()).toEqual([
      'omission /authentication',
      'omission /description',
      'omission /rate_limit',
      'omission /rate_limit_duration',
      'request /url',
    ])
    expect(answer).toMatchObject({ code: 1, refused: null, sent: false, resource: { uid, kind: 'endpoint' } })
    expect(answer.violations.opened.map(({ rule }: Found) => rule)).toContain('drift/authentication-lost')
    expect(answer.dependents).toMatchObject([{ kind: 'subscription', effect: 'uses' }])
  })
})

/** Writes of every kind, each from what the fleet is then. */
const writes: Readonly<Record<string, () => readonly [method: string, path: string, body?: JsonObject]>> = {
  'an endpoint is renamed, and the rest left out': () => {
    const { uid, url } = endpointOf(0)
    return ['PUT', address(`/endpoints/${uid}`), { name: 'renamed', url }]
  },
  'an endpoint moves, with a timeout that is too long': () => {
    const { uid, name } = endpointOf(1)
    return ['PUT', address(`/endpoints/${uid}`), { name, url: 'https://10.0.0.7/in', http_timeout: 120 }]
  },
  'an endpoint is paused': () => ['PUT', address(`/endpoints/${endpointOf(2).uid}/pause`)],
  'an endpoint is activated again': () => ['PUT', address(`/endpoints/${endpointOf(2).uid}/pause`)],
  'an endpoint is created at a metadata address': () => [
    ...(['POST', address('/endpoints'), { name: 'x', url: 'https://169.254.169.254/x' }] as const),
  ],
  'a subscription gets other event types': () => [
    ...(['PUT', address(`/subscriptions/${subscriptionOf(1).uid}`)] as const),
    { filter_config: { event_types: ['order.*', 'x y'], filter: { headers: {}, body: {} } } },
  ],
  'a subscription loses its function to another': () => [
    ...(['PUT', address(`/subscriptions/${subscriptionOf(2).uid}`), { function: 'function transform() {' }] as const),
  ],
  'a source is switched off': () => {
    const { uid, name, type } = at(hookdrift.fleet.open(at(projects, 1)).sources, 0)
    return ['PUT', address(`/sources/${uid}`, 1), { name, type, is_disabled: true }]
  },
  'a source takes a weak secret': () => {
    const { uid, name, type } = at(hookdrift.fleet.open(at(projects, 1)).sources, 0)
    const verifier = { type: 'api_key', api_key: { header_name: 'X-Key', header_value: 'secret' } }
    return ['PUT', address(`/sources/${uid}`, 1), { name, type, verifier }]
  },
  'a source is created that verifies nothing': () => ['POST', address('/sources', 1), { name: 'y', type: 'http' }],
  'a project retries every second': () => [
    ...([
      'PUT',
      address(),
      { name: 'p', config: { strategy: { type: 'linear', duration: 1, retry_count: 20 } } },
    ] as const),
  ],
  'a project drops its signatures': () => [
    ...(['PUT', address(), { name: 'p', config: { signature: { header: 'X', versions: [] } } }] as const),
  ],
}

describe('what is foreseen of violations', () => {
  it.each(Object.keys(writes))('is what the next audit finds: %s', async (name) => {
    const [method, path, body] = writes[name]?.() ?? ['', '']
    const foreseen = await preview(request(method, path, body))
    const answer = await fetch(`${hookdrift.service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${hookdrift.fleet.personalKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    expect(answer.ok).toBe(true)
    const report = JSON.parse((await hookdrift.audit('--format json')).stdout)
    const { project } = foreseen.resource
    const known = new Set([foreseen.resource.uid, ...foreseen.dependents.map(({ uid }: Found) => uid)])
    const named = ({ rule, path: at, uid }: Found) => `${rule} ${at} ${uid !== null && known.has(uid) ? uid : 'new'}`
    const ofProject = (state: string) =>
      report.violations.filter(
        (one: Found & { state: string; project: string }) => one.project === project && one.state === state,
      )
    const unsure = foreseen.unknown.map(({ path: at }: Row) => at)
    const isSure = (one: string) =>
      !unsure.some((at: string) => pointersOverlap(at, one.split(' ')[1] ?? '')) || unsure.includes('')
    expect({
      opened: foreseen.violations.opened.map(named).filter(isSure).sort(),
      ended: foreseen.violations.ended.map(named).filter(isSure).sort(),
    }).toEqual({
      opened: ofProject('opened').map(named).filter(isSure).sort(),
      ended: ofProject('resolved').map(named).filter(isSure).sort(),
    })
  })
})

describe('a request that changes nothing', () => {
  it.each([
    ['only reads', 'GET', '/endpoints', 'not a write: a GET changes nothing'],
    [
      'is of a project that the history does not have',
      'PUT',
      '/../../projects/x/endpoints/y',
      'the history knows no project',
    ],
    [
      'is of a uid that the history does not have',
      'PUT',
      '/endpoints/01AAAAAAAAAAAAAAAAAAAAAAAA',
      'has no endpoint of this uid',
    ],
    ['sends deliveries again', 'POST', '/eventdeliveries/batchretry', 'not a request that hookdrift can preview'],
  ])('ends with 2: it %s', async (_, method, rest, message) => {
    const path = rest.startsWith('/..') ? '/api/v1/projects/x/endpoints/y' : address(rest)
    const { code, stderr } = await hookdrift.run(['preview', '--request', request(method, path, {})])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  })

  it('ends with 2 where the gateway refuses it, and says with what', async () => {
    const { uid } = endpointOf(3)
    const answer = await preview(request('PUT', address(`/endpoints/${uid}`), { name: 'x' }))
    expect(answer).toMatchObject({
      code: 2,
      rows: [],
      violations: { opened: [], ended: [] },
      refused: { status: 400, reason: 'url:please provide a url for your endpoint' },
    })
  })

  it('ends with 2 where it goes to another host', async () => {
    const path = `https://gateway.example.com${address(`/endpoints/${endpointOf(3).uid}`)}`
    const { code, stderr } = await hookdrift.run(['preview', '--request', request('PUT', path, {})])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('the request goes to another host than acme/payments'),
    })
  })
})

describe('a known state that is not good enough', () => {
  const rename = () => {
    const { uid, url } = endpointOf(4)
    return request('PUT', address(`/endpoints/${uid}`), { name: 'again', url })
  }

  it('ends with 3 where it is too old, and says how old it is', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 26 * 3_600_000 })
    const { code, stdout } = await hookdrift.run(['preview', '--request', rename()])
    vi.useRealTimers()
    expect(code).toBe(3)
    expect(stdout).toMatch(/As of run \d+, [^\n]+ ago\.\nThe last scan is too old: audit again/)
  })

  it('is a second old right after the audit, not 0 ms', async () => {
    await hookdrift.audit()
    const { stdout } = await hookdrift.run(['preview', '--request', rename()])
    expect(stdout).toMatch(/, \d+ s ago\.\n/)
  })

  it('ends with 3 where the last scan did not read the listing completely', async () => {
    hookdrift.service.behaviour.outage = 'lists-unreadable'
    await hookdrift.audit()
    hookdrift.service.behaviour.outage = null
    const answer = await preview(rename())
    expect(answer).toMatchObject({ code: 3, known: { reasons: ['the last scan did not read endpoints completely'] } })
    await hookdrift.audit()
    expect(await preview(rename(), ['--fail-on', 'never'])).toMatchObject({ code: 0, known: { reasons: [] } })
  })
})

describe('a secret in a request', () => {
  const key = 'not-a-real-key-preview-8f41c09be2d7a365'

  it('changes nothing where it is the present one, and is shown nowhere', async () => {
    const { uid, name, url, authentication } = endpointOf(5)
    const present = JSON.parse(JSON.stringify(authentication))
    const other = { type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value: key } }
    const bodyOf = (sent: JsonObject) =>
      request('PUT', address(`/endpoints/${uid}`), { name, url, authentication: sent })
    const same = await preview(bodyOf(present), ['--fail-on', 'never'])
    expect(same.rows.filter(({ path }: Row) => path.startsWith('/authentication'))).toEqual([])
    const { stdout, stderr } = await hookdrift.run(['preview', '--request', bodyOf(other)])
    expect(stdout).toContain('/authentication/api_key/header_value')
    expect(stdout + stderr).not.toContain(key)
    for (const file of readdirSync(hookdrift.directory.path))
      expect(readFileSync(hookdrift.directory.file(file)).includes(key)).toBe(false)
  })

  it.each([
    ['a header', `curl -X PUT -H 'Authorization: Bearer ${key}'`],
    ['a user', `curl -X PUT -u 'me:${key}'`],
    ['a query', `curl -X PUT --url-query`],
  ])('is not in a message where it is in %s', async (_, command) => {
    const { code, stdout, stderr } = await hookdrift.run([
      'preview',
      '--request',
      `${command} 'https://x.example/?k=${key}'`,
    ])
    expect(code).toBe(2)
    expect(stdout + stderr).not.toContain(key)
  })
})

it('asks no service and writes nothing', async () => {
  const requests = hookdrift.service.requests.length
  const before = readFileSync(hookdrift.directory.file('hookdrift.db'))
  await preview(request('DELETE', address(`/endpoints/${endpointOf(0).uid}`)), ['--fail-on', 'never'])
  expect(readFileSync(hookdrift.directory.file('hookdrift.db')).equals(before)).toBe(true)
  expect(hookdrift.service.requests).toHaveLength(requests)
})

it('says of a deleted project that it would be gone, with all that depends on it', async () => {
  const answer = await preview(request('DELETE', address('', 1)))
  expect(answer.rows).toMatchObject([{ path: '', after: null, by: 'request' }])
  expect(answer.violations.opened.map(({ rule }: Found) => rule)).toEqual(['project/vanished'])
  expect(answer.dependents.length).toBeGreaterThan(6)
})

describe('readers of some projects, over a port', () => {
  const ask = async (text: string) => {
    const { path } = hookdrift.directory
    const api = createApi(
      { config: hookdrift.directory.file('hookdrift.yaml') },
      { ...aTerminal, cwd: () => path },
      '1.2.3',
    )
    const history = await openExistingHistory(readLocation(hookdrift.directory.file('hookdrift.db'), path), {})
    const scope = projectScope(['acme/payments'])
    try {
      const prepared = await api.prepare('preview', new URLSearchParams({ request: text }))
      return JSON.parse(await prepared.read({ history: history.within(scope), projects: ['acme/payments'] }))
    } finally {
      await history.close()
    }
  }
  const aTerminal = { stdout: process.stdout, stderr: process.stderr, env: {} }

  it('get the same of theirs, and nothing of another project', async () => {
    const text = request('DELETE', address(`/endpoints/${endpointOf(0).uid}`))
    const { rows, violations, dependents } = await preview(text)
    expect(await ask(text)).toMatchObject({ rows, violations, dependents })
    const other = request('DELETE', address(`/endpoints/${endpointOf(0, 1).uid}`, 1))
    await expect(ask(other)).rejects.toThrow('the history knows no project of this uid')
  })

  it('cannot try guesses of a secret', async () => {
    const { uid, name, url, authentication } = endpointOf(5)
    const sent = JSON.parse(JSON.stringify({ name, url, authentication }))
    const answer = await ask(request('PUT', address(`/endpoints/${uid}`), sent))
    const other = await ask(request('PUT', address(`/endpoints/${uid}`), { ...sent, authentication: guess }))
    expect(answer.rows.map(({ path }: Row) => path)).toEqual(other.rows.map(({ path }: Row) => path))
    expect(JSON.stringify(answer.unknown)).toContain('/authentication/api_key/header_value')
  })
  const guess = { type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value: 'a guess that is not the one' } }

  it('are asked for the request, and no file of this machine is read', async () => {
    const api = createApi({ config: hookdrift.directory.file('hookdrift.yaml') }, { ...aTerminal, cwd: () => '/' }, '1')
    await expect(api.prepare('preview', new URLSearchParams({ file: '/etc/passwd' }))).rejects.toThrow(
      'unknown parameter "file"',
    )
  })
})

it.each([
  ['a file that is not there', ['missing.http'], 'cannot read the request "missing.http"'],
  ['no request', [], 'no request given'],
])('refuses %s', async (_, words, said) => {
  const { code, stderr } = await hookdrift.run(['preview', ...words])
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
})

it('reads a request from a file', async () => {
  const { uid } = endpointOf()
  hookdrift.directory.write('delete.json', request('DELETE', address(`/endpoints/${uid}`)))
  const { code, stdout } = await hookdrift.run(['preview', 'delete.json', '--format', 'json'])
  expect([code, JSON.parse(stdout).resource]).toEqual([0, expect.objectContaining({ kind: 'endpoint', uid })])
})
