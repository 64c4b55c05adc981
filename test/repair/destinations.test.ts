import { describe, expect, it } from 'vitest'
import { changeData, changeEndpoint, deleteEndpoint, updateProject } from '../../src/demo/edits.ts'
import type { EndpointRow, ProjectData } from '../../src/demo/rows.ts'
import { isAttribute, type Members, resourceFields } from '../../src/gateway/fields.ts'
import { destinations } from '../../src/gateway/repair/destinations.ts'
import type { Report } from '../../src/model/report.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { at } from '../audit/fleet-fixture.ts'
import { connectTo } from '../pages/mcp-client.ts'
import { openSiteOver } from '../pages/story-site.ts'
import { type HistoryFixture, openHistoryFixture } from '../questions/history-fixture.ts'
import { sound } from '../rules/certificates.ts'

const policy = policyOf(`
extends: []
rules:
  drift/authentication-lost: {}
  drift/secret-changed: {}
  drift/function-changed: {}
  drift/url-host-changed: {}
  drift/rate-limit-lost: {}
  endpoint/timeout-high: {}
`)

const secret = (word: string) => `not-a-real-key-${word}-8f41c09be2d7a365`
const apiKey = { type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value: secret('header') } }
const basic = { type: 'basic_auth', basic_auth: { username: 'hooks', password: secret('basic') } }
const oauth2 = (url: string, client_secret: string) => ({
  type: 'oauth2',
  oauth2: { url, client_id: 'hooks', client_secret, authentication_type: 'shared_secret' },
})
const amqp = (host: string, password: string) => ({
  type: 'pub_sub',
  pub_sub: {
    type: 'amqp',
    workers: 1,
    amqp: { schema: 'amqps', host, port: '5671', queue: 'q', auth: { user: 'u', password } },
  },
})
const kafka = (broker: string, password: string) => ({
  type: 'pub_sub',
  pub_sub: {
    type: 'kafka',
    workers: 1,
    kafka: { brokers: [broker], topic_name: 't', auth: { type: 'plain', username: 'u', password, tls: true } },
  },
})
const metaEvent = (url: string, secret: string) => ({
  meta_event: { is_enabled: true, type: 'http', event_type: ['a'], url, secret, pub_sub: null },
})

type List = 'endpoints' | 'subscriptions' | 'sources' | 'projects'
/** `make`: the settings, with the place and with what was entrusted to it. */
interface Pair {
  readonly list: List
  readonly make: (place: string, credential: boolean) => object
}

const good = 'good.example.com'
const evil = 'hooks.evil.example.net'
const withUrl = (set: (credential: boolean) => object) => (place: string, credential: boolean) => ({
  url: `https://${place}/in`,
  ...set(credential),
})
const given = (value: string, credential: boolean) => (credential ? value : '')

/** Every place that decides where a credential goes. */
const pairs: Readonly<Record<string, Pair>> = {
  'an API key': { list: 'endpoints', make: withUrl((has) => ({ authentication: has ? apiKey : null })) },
  'basic authentication': { list: 'endpoints', make: withUrl((has) => ({ authentication: has ? basic : null })) },
  'a client certificate': {
    list: 'endpoints',
    make: withUrl((has) => ({ mtls_client_cert: has ? { client_cert: sound, client_key: secret('mtls') } : null })),
  },
  'the secret of an OAuth client': {
    list: 'endpoints',
    make: (place, has) => ({ authentication: oauth2(`https://${place}/token`, given(secret('oauth'), has)) }),
  },
  'the function of a subscription': {
    list: 'subscriptions',
    make: (place, has) => ({
      endpoint_id: place,
      function: has ? `function transform(p) { return { key: '${secret('code')}' } }` : null,
    }),
  },
  'AMQP credentials': { list: 'sources', make: (place, has) => amqp(place, given(secret('amqp'), has)) },
  'Kafka credentials': { list: 'sources', make: (place, has) => kafka(`${place}:9092`, given(secret('kafka'), has)) },
  'the secret of meta events': {
    list: 'projects',
    make: (place, has) => metaEvent(`https://${place}/meta`, given(secret('meta'), has)),
  },
}

async function openPair({ list, make }: Pair) {
  const history = await openHistoryFixture({
    fleet: {
      projects: 2,
      incomingEvery: list === 'sources' ? 1 : 0,
      endpointsPerProject: 3,
      subscriptionsPerProject: 2,
      sourcesPerProject: 2,
    },
    service: { release: 'later' },
  })
  const { fleet } = history.fixture
  const [project = '', other = ''] = fleet.projects().map(({ uid }) => uid)
  const endpoints = fleet.open(project).endpoints.map(({ uid }) => uid)
  // A subscription is sent to an endpoint.
  const places = list === 'subscriptions' ? { good: at(endpoints, 0), evil: at(endpoints, 1) } : { good, evil }
  const uids =
    list === 'projects'
      ? [project, other]
      : fleet
          .open(project)
          [list].slice(0, 2)
          .map(({ uid }) => uid)
  const set = (index: number, place: 'good' | 'evil', credential: boolean) => {
    const change = make(places[place], credential)
    if (list === 'projects') return updateProject(fleet, at(uids, index), change)
    changeData(fleet, project, (data): ProjectData => {
      const rows: readonly { readonly uid: string }[] = data[list]
      return { ...data, [list]: rows.map((row) => (row.uid === uids[index] ? { ...row, ...change } : row)) }
    })
  }
  const audit = () => history.fixture.audit({ policy })
  /** Takes what was entrusted from both, the first of which is at a place; gives the cause that they share. */
  const lose = async (place: 'good' | 'evil') => {
    set(0, place, false)
    set(1, 'good', false)
    return causeOfBoth(await audit())
  }
  for (const index of [0, 1]) set(index, 'good', true)
  await audit()
  return { history, set, lose, audit, places, project, uids, moved: at(uids, 0), stayed: at(uids, 1) }
}

function causeOfBoth({ causes }: Report): string {
  return at(
    causes.filter(({ resources }) => resources === 2),
    0,
  ).id
}

const uidsOf = ({ rows }: { readonly rows: readonly { readonly uid: string }[] }) => rows.map(({ uid }) => uid)

/** What a person could copy of a text: each command with its body. */
function commandsIn(text: string): string[] {
  const plain = text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
  return plain
    .split('curl --silent')
    .slice(1)
    .map((command) => command.split(/\n\n|<\/pre>/, 1)[0] ?? '')
}

/** Every output that prints requests. */
async function printedBy(history: HistoryFixture, { cause, uid }: { cause: string; uid: string }) {
  const site = await openSiteOver(history)
  const read = async (path: string) => (await site.get(path)).text()
  await using client = await connectTo((request) => site.site.fetch(request))
  const called = await client.callTool({ name: 'restore', arguments: { cause } })
  const { commands, ...answer } = called.structuredContent as { readonly commands: readonly string[] }
  const violations = (await history.rows('violations --open')).rows.filter((one: { uid: string }) => one.uid === uid)
  const forms = ['text', 'json', 'jsonl', 'csv'].map(async (format) => {
    return [format, (await history.ask(['restore', '--cause', cause, '--format', format])).stdout] as const
  })
  const rules = violations.map(async ({ rule }: { rule: string }) => {
    return [`--rule ${rule}`, (await history.ask(['restore', uid, '--rule', rule])).stdout] as const
  })
  const pages = violations.map(async ({ fingerprint }: { fingerprint: string }) => {
    return [`the page of ${fingerprint}`, await read(`/violations/${fingerprint}`)] as const
  })
  const outputs = await Promise.all([
    ...forms,
    ...rules,
    ...pages,
    ['the assistant', JSON.stringify(answer)] as const,
    ['the commands of the assistant', commands.join('\n')] as const,
    ['the API', await read(`/api/v1/restore?cause=${cause}`)] as const,
    ['the page of the resource', await read(`/resources/${uid}`)] as const,
    ['restore', (await history.ask(['restore', uid])).stdout] as const,
  ])
  await site.history.close()
  return outputs
}

/** Requests that give a former secret to the other place. */
function handovers(outputs: Awaited<ReturnType<typeof printedBy>>, uid: string, place: string): string[] {
  return outputs.flatMap(([name, text]) => {
    const isHandedOver = (body: string) =>
      body.includes(place) &&
      body.includes(uid) &&
      /\$\{?[A-Z_]*(?:SECRET|VALUE|PASSWORD|KEY)/.test(body.replaceAll('ACME_KEY', ''))
    const rows = ['the API', 'the assistant', 'json'].includes(name)
      ? (JSON.parse(text).rows as object[]).map((row) => JSON.stringify(row))
      : []
    const lines = name === 'csv' || name === 'jsonl' ? text.split('\n') : []
    return [...rows, ...lines, ...commandsIn(text)].some(isHandedOver) ? [name] : []
  })
}

describe.each(Object.entries(pairs))('%s', (_, pair) => {
  it('is not put back where the place that it goes to changed in the same run', async () => {
    const { history, lose, places, moved, stayed } = await openPair(pair)
    await using _history = history
    const cause = await lose('evil')
    const answer = await history.rows(`restore --cause ${cause}`)
    expect(uidsOf(answer)).toEqual([stayed])
    expect(answer.left_to_you).toContainEqual({
      uid: moved,
      path: expect.any(String),
      reason: expect.stringContaining(`\`hookdrift restore ${moved}\``),
    })
    const outputs = await printedBy(history, { cause, uid: moved })
    const [[, text] = ['', '']] = outputs
    expect(text.replaceAll(/\s+/g, ' ')).toContain(' is left out: ')
    expect(handovers(outputs, moved, places.evil)).toEqual([])
    const { rows: whole } = await history.rows(`restore ${moved}`)
    expect(JSON.stringify(whole)).toContain(places.good)
    expect(JSON.stringify(whole)).not.toContain(places.evil)
  })

  it('is not put back where the place changed before, and no person approved that', async () => {
    const { history, set, lose, audit, places, moved, stayed } = await openPair(pair)
    await using _history = history
    await history.fixture.approve()
    set(0, 'evil', true)
    await audit()
    const cause = await lose('evil')
    expect(uidsOf(await history.rows(`restore --cause ${cause}`))).toEqual([stayed])
    const outputs = await printedBy(history, { cause, uid: moved })
    expect(handovers(outputs, moved, places.evil)).toEqual([])
  })

  it('is put back where a person approved the place before it was lost', async () => {
    const { history, set, lose, audit, places, moved } = await openPair(pair)
    await using _history = history
    set(0, 'evil', true)
    await audit()
    await history.fixture.approve()
    const cause = await lose('evil')
    const { rows, left_to_you } = await history.rows(`restore --cause ${cause}`)
    expect(rows).toHaveLength(2)
    expect(left_to_you).toEqual([])
    expect(JSON.stringify(rows.find(({ uid }: { uid: string }) => uid === moved))).toContain(places.evil)
  })
})

describe('an endpoint', () => {
  const pair = pairs['an API key'] as Pair

  it('of which a person accepted the new URL keeps it, and each answer names that person', async () => {
    const { history, set, audit, places, moved } = await openPair(pair)
    await using _history = history
    set(0, 'evil', false)
    set(1, 'good', false)
    const report = await audit()
    await history.fixture.accept(report, 'drift/url-host-changed', moved)
    const cause = causeOfBoth(await audit())
    const decision = expect.stringMatching(/^Accepted by lee on .*: moves in spring\./)
    const { rows, left_to_you } = await history.rows(`restore --cause ${cause}`)
    expect(rows).toHaveLength(2)
    expect(left_to_you).toEqual([{ uid: moved, path: '/url', reason: decision }])
    const ofOne = await history.rows(`restore ${moved}`)
    expect(ofOne.rows[0].body.url).toContain(places.evil)
    expect(ofOne.left_to_you).toEqual([{ path: '/url', reason: decision }])
    expect(ofOne.left_to_you[0].reason).toContain(`\`hookdrift restore ${moved} --run 1\` puts it back, too`)
    const whole = await history.rows(`restore ${moved} --run 1`)
    expect(whole.rows[0].body.url).toContain(places.good)
    expect(whole.left_to_you).toEqual([])
  })

  it('whose URL changed gets no request with its secret to fill in, for any purpose', async () => {
    const { history, set, audit, project, moved, stayed } = await openPair(pair)
    await using _history = history
    const { fleet } = history.fixture
    const change = (uid: string, to: Partial<EndpointRow>) =>
      changeEndpoint(fleet, { project, uid }, (row) => ({ ...row, ...to }))
    set(0, 'evil', true)
    for (const uid of [moved, stayed]) change(uid, { rate_limit: 0, rate_limit_duration: 0, http_timeout: 90 })
    const cause = causeOfBoth(await audit())
    expect(uidsOf(await history.rows(`restore --cause ${cause}`))).toEqual([stayed])
    const file = history.write('policy.yaml', 'extends: [all]\n')
    const fix = ['--rule', 'endpoint/timeout-high', '--policy', file]
    expect((await history.rows(['restore', stayed, ...fix])).rows).toHaveLength(1)
    const ofMoved = await history.rows(['restore', moved, ...fix])
    expect(ofMoved.rows).toEqual([])
    expect(ofMoved.left_to_you).toEqual([
      { path: '/url', reason: expect.stringContaining(`Run \`hookdrift restore ${moved}\` first, then audit.`) },
    ])
  })

  it('keeps in the requests of a cause what a person accepted of it', async () => {
    const { history, set, audit, moved } = await openPair(pair)
    await using _history = history
    for (const index of [0, 1]) set(index, 'good', false)
    const report = await audit()
    await history.fixture.accept(report, 'drift/authentication-lost', moved)
    await audit()
    const { id: cause } = at(report.causes, 0)
    const answer = await history.rows(`restore --cause ${cause}`)
    expect(uidsOf(answer)).not.toContain(moved)
    expect(answer.left_to_you).toMatchObject([
      { uid: moved, path: '/authentication', reason: expect.stringMatching(/^Accepted by lee/) },
    ])
  })

  it('whose URL changed in an earlier run, without a baseline, gets nothing put back onto it', async () => {
    const { history, set, lose, audit, places, moved, stayed } = await openPair(pair)
    await using _history = history
    set(0, 'evil', true)
    await audit()
    const cause = await lose('evil')
    expect(uidsOf(await history.rows(`restore --cause ${cause}`))).toEqual([stayed])
    const outputs = await printedBy(history, { cause, uid: moved })
    expect(handovers(outputs, moved, places.evil)).toEqual([])
    const byRule = await history.rows(`restore ${moved} --rule drift/authentication-lost`)
    expect(byRule.rows).toEqual([])
    expect(byRule.left_to_you).toEqual([
      { path: '/url', reason: expect.stringContaining(`\`hookdrift restore ${moved}\` puts back both`) },
    ])
  })

  it('that was removed after its URL changed is created with the former one', async () => {
    const { history, set, audit, places, project, moved } = await openPair(pair)
    await using _history = history
    set(0, 'evil', true)
    await audit()
    deleteEndpoint(history.fixture.fleet, { project, uid: moved })
    await audit()
    const { rows, state } = await history.rows(`restore ${moved}`)
    expect(state.basis).toBe('before_drift')
    expect(rows[0].body.url).toContain(places.good)
  })

  it('whose URL changed gets no function put back that has a secret, of a subscription to it', async () => {
    const { history, lose, places, project } = await openPair(pairs['the function of a subscription'] as Pair)
    await using _history = history
    const { fleet } = history.fixture
    changeEndpoint(fleet, { project, uid: places.good }, (row) => ({ ...row, url: `https://${evil}/in` }))
    const cause = await lose('good')
    const { rows, left_to_you } = await history.rows(`restore --cause ${cause}`)
    expect(rows).toEqual([])
    expect(left_to_you.map(({ reason }: { reason: string }) => reason)).toEqual([
      expect.stringContaining(evil),
      expect.stringContaining(evil),
    ])
  })
})

it('the table of destinations has every secret of the wire schema that a request puts back', () => {
  const decided = Object.entries(destinations).flatMap(([kind, rows]) =>
    rows.flatMap(({ carries }) => carries.map((path) => `${kind} ${path}`)),
  )
  const secrets = Object.entries(resourceFields).flatMap(([kind, fields]) =>
    secretsIn(fields, '').map((path) => `${kind} ${path}`),
  )
  const others = secrets.filter((path) => !decided.some((one) => path === one || path.startsWith(`${one}/`)))
  expect(others).toEqual([
    // Addresses that are secret as a whole.
    'endpoint /slack_webhook_url',
    'endpoint /teams_webhook_url',
    // Google has one address, and no request names one of SQS.
    'source /pub_sub/google/service_account',
    'source /pub_sub/sqs/access_key_id',
    'source /pub_sub/sqs/secret_key',
    // The gateway compares these with what it receives, and sends them nowhere.
    'source /verifier/api_key/header_value',
    'source /verifier/basic_auth/password',
    'source /verifier/hmac/secret',
  ])
})

function secretsIn(fields: Members, path: string): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    if (!isAttribute(field) || field.unwritten !== undefined) return []
    if (field.type === 'secret' || field.type === 'secret-url') return [`${path}/${name}`]
    return 'members' in field ? secretsIn(field.members, `${path}/${name}`) : []
  })
}
