import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Field, type Members, resourceFields } from '../../src/gateway/fields.ts'
import { takeInventory, withNewer } from '../../src/gateway/inventory/take-inventory.ts'
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts'
import { type Kind, type Listing, listings } from '../../src/model/resource.ts'
import { anEndpoint, aProject, aRow, aSource, aSubscription } from '../audit/literal-service.ts'
import { readExchanges } from '../service/replay-server.ts'
import { sealer } from './inventory-fixture.ts'

const recordings = join(import.meta.dirname, '../fixtures/recordings')

/** Items of lists in recorded answers, by listing. */
function recordedItems(file: string): readonly (readonly [Listing, readonly JsonObject[]])[] {
  return readExchanges(readFileSync(join(recordings, file), 'utf8')).flatMap(({ request, response }) => {
    const [, list] = /^\/api\/v1\/projects\/[^/?]+(?:\/([a-z-]+))?(?:\?|$)/.exec(request.path) ?? []
    const listing = listings.find((one) => one === (list ?? 'project').replace('-', '_'))
    if (listing === undefined || request.method !== 'GET' || response.status !== 200) return []
    if (!/json/.test(response.headers['content-type'] ?? '')) return []
    const { data } = JSON.parse(response.body)
    const items: readonly Json[] = Array.isArray(data) ? data : (data?.content ?? [data])
    // Of a project that was made to be deleted again, the recording has the name only.
    const recorded = items.filter((item) => isJsonObject(item) && (listing !== 'project' || item.config !== undefined))
    return [[listing, recorded.filter(isJsonObject)]] as const
  })
}

it.each(readdirSync(recordings).filter((file) => file.endsWith('.jsonl')))(
  'every item in %s shows what the table says that its release shows',
  (file) => {
    const doubted = recordedItems(file).flatMap(([listing, items]) => {
      const inventory = takeInventory(listing, items, sealer)
      return inventory.listed.flatMap((resource, at) => {
        const { uid, unseen, malformed } = resource
        const { cb_state: state, content_type: type, target_url: url } = items[at] ?? {}
        const lacks = inventory.newer.get(resource)?.map(({ since }) => since) ?? []
        // What newer fields an item lacks agrees with what its release is known to have.
        if (listing === 'endpoints' && url === undefined) {
          expect([lacks.includes('v26.6.1'), lacks.includes('v25.11.1')], uid).toEqual([
            state === undefined,
            type === undefined,
          ])
        }
        return unseen === undefined && malformed === undefined ? [] : [{ listing, uid, unseen, malformed }]
      })
    })
    expect(doubted).toEqual([])
  },
)

type WholeItem = readonly [listing: Listing, kind: Kind, item: JsonObject]

const apiKey = { header_name: 'x', header_value: 'not-a-real-key' }
const basicAuth = { username: 'u', password: 'not-a-real-password' }
const oauth2 = { url: 'https://a.example/token', client_id: 'c', authentication_type: 'shared_secret' }
const noQueue = { workers: 1, sqs: null, google: null, kafka: null, amqp: null }
const kafkaAuth = { type: 'plain', username: 'u', password: 'not-a-real-password', hash: 'SHA512', tls: true }
const queues: Readonly<Record<string, JsonObject>> = {
  sqs: { access_key_id: 'a', secret_key: 'not-a-real-key', default_region: 'eu', queue_name: 'q' },
  google: { project_id: 'p', subscription_id: 's', service_account: 'not-a-real-account' },
  kafka: { brokers: ['a.example:9092'], consumer_group_id: 'g', topic_name: 't', auth: kafkaAuth },
  amqp: {
    host: 'a.example',
    port: '5672',
    schema: 'amqps',
    vhost: '/',
    queue: 'q',
    bindedExchange: 'x',
    routingKey: 'k',
    deadLetterExchange: 'd',
    auth: { user: 'u', password: 'not-a-real-password' },
  },
}
const hmac = { encoding: 'hex', hash: 'SHA256', header: 'x', secret: 'not-a-real-secret' }
const eventType = { uid: 'T', name: 'a', category: '', description: '', json_schema: null, deprecated_at: null }

/** Items that show every member which is ever shown. */
const whole: readonly WholeItem[] = [
  ['project', 'project', aProject],
  ['event_types', 'event_type', eventType],
  ...[
    { type: 'api_key', api_key: apiKey },
    { type: 'basic_auth', basic_auth: basicAuth },
    { type: 'oauth2', oauth2 },
  ].map((authentication): WholeItem => ['endpoints', 'endpoint', anEndpoint('E', { authentication })]),
  ...[
    { type: 'api_key', api_key: apiKey, basic_auth: null, hmac: null },
    { type: 'basic_auth', basic_auth: basicAuth, api_key: null, hmac: null },
    { type: 'hmac', hmac, api_key: null, basic_auth: null },
  ].map((verifier): WholeItem => {
    return ['sources', 'source', aSource('S', { verifier, custom_response: { body: 'a', content_type: 'b' } })]
  }),
  ...Object.entries(queues).map(([type, queue]): WholeItem => {
    return [
      'sources',
      'source',
      aSource('S', { type: 'pub_sub', custom_response: null, pub_sub: { ...noQueue, type, [type]: queue } }),
    ]
  }),
  [
    'subscriptions',
    'subscription',
    aSubscription('B', 'E', {
      alert_config: { count: 1, threshold: '1h' },
      rate_limit_config: { count: 1, duration: 1 },
      retry_config: { type: 'linear', duration: 1, retry_count: 1 },
    }),
  ],
]

/** The members of an item that its table has, with what leads to each: keys, and places in lists. */
interface ShownMember {
  readonly pointer: string
  readonly steps: readonly (string | number)[]
  readonly field: Field
  /** Whether the object around it means "none" when it is empty. */
  readonly isOfType: boolean
}

function* membersOf(
  members: Members,
  item: JsonObject,
  above: Pick<ShownMember, 'pointer' | 'steps'>,
): Generator<ShownMember> {
  for (const [name, field] of Object.entries(members)) {
    const value = item[name]
    if (value === undefined || field.use === 'reference') continue
    const here = { pointer: `${above.pointer}/${name}`, steps: [...above.steps, name] }
    const isOfType = field.onlyFor === undefined || item.type === field.onlyFor
    yield { ...here, field, isOfType }
    if (field.type === 'struct' && isJsonObject(value)) yield* membersOf(field.members, value, here)
    if (field.type === 'keyed' && Array.isArray(value)) {
      for (const [at, entry] of value.entries()) {
        if (!isJsonObject(entry)) continue
        const key = String(entry[field.by ?? 'uid'])
        yield* membersOf(field.members, entry, { pointer: `${here.pointer}/${key}`, steps: [...here.steps, at] })
      }
    }
  }
}

/** A copy without the member, or with another value in its place. */
function changed(value: Json, [step, ...rest]: readonly (string | number)[], to: Json | undefined): Json {
  if (Array.isArray(value)) return value.map((entry, at) => (at === step ? changed(entry, rest, to) : entry))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, Json][] => {
      if (name !== step) return [[name, member]]
      if (rest.length > 0) return [[name, changed(member, rest, to)]]
      return to === undefined ? [] : [[name, to]]
    }),
  )
}

/** What is unknown of an item: to a service of the newest release, and to one of the oldest. */
function unknownIn(listing: Listing, item: JsonObject) {
  const rows = new Map([['B', [aRow('B', '*')]]])
  const inventory = takeInventory(listing, [item], sealer, listing === 'subscriptions' ? rows : undefined)
  const [newest] = withNewer(inventory, () => true)
  return { newest: newest?.unseen ?? [], oldest: inventory.listed[0]?.unseen ?? [], malformed: newest?.malformed ?? [] }
}

const cases = whole.flatMap(([listing, kind, item]) =>
  [...membersOf(resourceFields[kind], item, { pointer: '', steps: [] })].map((member) => ({
    listing,
    item,
    ...member,
    name: `${kind} ${member.pointer}${isJsonObject(item.pub_sub ?? null) ? ` (${listing})` : ''}`,
  })),
)

const isEmptyOrApart = ({ absent }: Field) => absent === 'empty' || absent === 'apart'

describe('a member of a whole item', () => {
  it.each(whole)('of %s: all are known', (listing, _, item) => {
    expect(unknownIn(listing, item)).toEqual({ newest: [], oldest: [], malformed: [] })
  })

  it.each(cases)('$name: unknown when it is left out, if it should be there', ({ listing, item, ...member }) => {
    const { pointer, steps, field, isOfType } = member
    if (pointer === '/uid') return
    const without = changed(item, steps, undefined)
    if (!isJsonObject(without)) throw new Error('an item is an object')
    const isNested = steps.length > 1
    const isUnknown = !isEmptyOrApart(field) && isOfType && !(isNested && field.use !== undefined)
    const { newest, oldest } = unknownIn(listing, without)
    expect(newest).toEqual(isUnknown ? [pointer] : [])
    expect(oldest).toEqual(isUnknown && field.since === undefined ? [pointer] : [])
  })

  it.each(cases)(
    '$name: null is a value of what may be none, and else a wrong type',
    ({ listing, item, ...member }) => {
      const { pointer, steps, field } = member
      const isText = !['struct', 'keyed', 'free', 'set', 'addresses', 'flag', 'time'].includes(field.type)
      const isWrong = isText && field.absent !== 'empty' && field.isNullable !== true
      const nulled = changed(item, steps, null)
      if (!isJsonObject(nulled)) throw new Error('an item is an object')
      expect(unknownIn(listing, nulled).malformed).toEqual(isWrong ? [pointer] : [])
    },
  )
})

it('an object that means "none" lacks no member', () => {
  const items: readonly (readonly [Listing, JsonObject])[] = [
    ['endpoints', anEndpoint('E', { authentication: {} })],
    ['endpoints', anEndpoint('E', { authentication: { api_key: { header_name: '', header_value: '' } } })],
    ['sources', aSource('S', { verifier: { hmac: null, basic_auth: null, api_key: null } })],
    ['sources', aSource('S', { pub_sub: { type: '', workers: 0 } })],
  ]
  for (const [listing, item] of items) expect(unknownIn(listing, item).newest).toEqual([])
})

it('the interface of 2024-01-01 does not have the failure rate', () => {
  const { url, name, failure_rate: _, ...rest } = anEndpoint('E')
  expect(unknownIn('endpoints', { ...rest, target_url: url ?? '', title: name ?? '' }).newest).toEqual([])
})
