import { describe, expect, it } from 'vitest'
import { compareFields } from '../../src/gateway/inventory/compare-fields.ts'
import { carryOver, diffAttributes, holdsSeals, maskSeals } from '../../src/gateway/inventory/diff-attributes.ts'
import { compareShapes, narrowBy, type Shape, shapeOf } from '../../src/gateway/inventory/shape.ts'
import { takeInventory } from '../../src/gateway/inventory/take-inventory.ts'
import type { Json, JsonObject } from '../../src/model/json.ts'
import type { Resource } from '../../src/model/resource.ts'
import { between, endpoint, sealer, source } from './inventory-fixture.ts'

const seal = (digit: string) => `sealed:${digit.repeat(32)}`
const masked = 'sealed:masked'

/** Where seals hide whether two states are equal. */
function sealedOtherwise(before: JsonObject, after: JsonObject, key = 'key') {
  const compared = compareFields(
    'endpoint',
    { attributes: before, sealKeyId: 'key' },
    { attributes: after, sealKeyId: key },
  )
  return compared.resealed
}

/** `/url: "a" -> "b"` for each field that differs. */
function differences(before: JsonObject, after: JsonObject, sealsComparable = true): string[] {
  return diffAttributes('endpoint', before, after, { sealsComparable }).map(
    ({ path, before, after }) => `${path}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
  )
}

describe('the differences of two states', () => {
  it('leaves out in which way a filter or a schema is empty, and not what is in it', () => {
    const comparable = { sealsComparable: true }
    const filter = (body: Json) => ({ filter_config: { filter: { body } } })
    expect(diffAttributes('subscription', filter(null), filter({}), comparable)).toEqual([])
    expect(diffAttributes('event_type', { json_schema: {} }, { json_schema: null }, comparable)).toEqual([])
    expect(diffAttributes('subscription', filter({ a: null }), filter({ a: '' }), comparable)).toHaveLength(1)
    // An output may be anything: nothing is not an empty object.
    expect(diffAttributes('probe', { output: null }, { output: {} }, comparable)).toHaveLength(1)
  })

  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['a value', { url: 'a' }, { url: 'b' }, ['/url: "a" -> "b"']],
    ['a value that becomes null', { url: 'a' }, { url: null }, ['/url: "a" -> null']],
    ['a value that was null', { owner_id: null }, { owner_id: 'o' }, ['/owner_id: null -> "o"']],
    ['a value of another type', { http_timeout: 5 }, { http_timeout: '5' }, ['/http_timeout: 5 -> "5"']],
    [
      'a seal next to a mask',
      { url: `https://${masked}@a/?k=${seal('a')}` },
      { url: `https://${masked}@a/?k=${seal('b')}` },
      [`/url: "https://${masked}@a/?k=${seal('a')}" -> "https://${masked}@a/?k=${seal('b')}"`],
    ],
    [
      'several, sorted by path',
      { url: 'a', name: 'a' },
      { name: 'b', url: 'b' },
      ['/name: "a" -> "b"', '/url: "a" -> "b"'],
    ],
    ['a name with a slash and a tilde', { 'a/b~c': 1 }, { 'a/b~c': 2 }, ['/a~1b~0c: 1 -> 2']],
    ['an object that becomes a text', { authentication: {} }, { authentication: 'x' }, ['/authentication: {} -> "x"']],
    ['a list of unknown things', { tags: ['a'] }, { tags: ['b'] }, ['/tags: ["a"] -> ["b"]']],
    [
      'what an unknown field has in it, empty in another way',
      { x: { a: null } },
      { x: { a: '' } },
      ['/x/a: null -> ""'],
    ],
    [
      'an unknown object, key by key',
      { extra: { a: 1, b: 2 } },
      { extra: { b: 3, c: 4 } },
      ['/extra/a: 1 -> null', '/extra/b: 2 -> 3', '/extra/c: null -> 4'],
    ],
    [
      'an object whose empty members mean nothing, key by key',
      { authentication: { type: 'api_key', api_key: { header_name: 'a' } } },
      { authentication: { type: 'basic_auth', basic_auth: { username: 'u' } } },
      [
        '/authentication/api_key: {"header_name":"a"} -> null',
        '/authentication/basic_auth: null -> {"username":"u"}',
        '/authentication/type: "api_key" -> "basic_auth"',
      ],
    ],
    [
      'things with a uid, thing by thing',
      { secrets: { k1: { value: seal('a') }, k2: { value: seal('b') }, k3: { expires_at: 'x' } } },
      { secrets: { k2: { value: seal('c') }, k3: { expires_at: 'x' }, k4: { value: seal('d') } } },
      [
        `/secrets/k1: {"value":"${seal('a')}"} -> null`,
        `/secrets/k2/value: "${seal('b')}" -> "${seal('c')}"`,
        `/secrets/k4: null -> {"value":"${seal('d')}"}`,
      ],
    ],
    [
      'things that only have other uids, once',
      { secrets: { k1: { value: seal('a') }, k2: { value: seal('b') } } },
      { secrets: { k2: { value: seal('b') }, k3: { value: seal('a') } } },
      [
        `/secrets: {"k1":{"value":"${seal('a')}"},"k2":{"value":"${seal('b')}"}} -> ` +
          `{"k2":{"value":"${seal('b')}"},"k3":{"value":"${seal('a')}"}}`,
      ],
    ],
    [
      'a thing under another uid whose secret the service masks: it may be another',
      { secrets: { k1: { value: masked } } },
      { secrets: { k2: { value: masked } } },
      [`/secrets/k1: {"value":"${masked}"} -> null`, `/secrets/k2: null -> {"value":"${masked}"}`],
    ],
    [
      'a thing whose uid holds a slash',
      { secrets: { 'k/1': { expires_at: 'a' } } },
      { secrets: { 'k/1': { expires_at: 'b' } } },
      ['/secrets/k~11/expires_at: "a" -> "b"'],
    ],
    [
      'a thing that becomes a text',
      { secrets: { k1: { value: 'a' } } },
      { secrets: { k1: 'x' } },
      ['/secrets/k1: {"value":"a"} -> "x"'],
    ],
  ])('include %s', (_, before, after, expected) => {
    expect(differences(before, after)).toEqual(expected)
  })

  it.each<[string, JsonObject, JsonObject]>([
    [
      'what is equal',
      { url: 'a', n: 1, x: null, tags: ['a', { b: 1 }] },
      { x: null, tags: ['a', { b: 1 }], n: 1, url: 'a' },
    ],
    ['what only one side shows', { url: 'a' }, { name: 'b' }],
    ['an unknown field that is empty in another way', { x: null, y: '' }, { x: [], y: {} }],
    ['a member of a thing that only one side shows', { secrets: { k1: { value: 'a' } } }, { secrets: { k1: {} } }],
    ['a null against an absent key of an unknown object', { extra: { a: null } }, { extra: {} }],
    ['a thing that is null on one side and absent on the other', { secrets: { k1: null } }, { secrets: {} }],
    [
      'a secret that was deleted before, which only some releases list',
      { secrets: { k1: { value: seal('a'), deleted_at: '2026-01-01T00:00:00Z' } } },
      { secrets: { k2: { value: seal('b'), deleted_at: '2026-01-01T00:00:00Z' } } },
    ],
    ['a seal that the service masks now', { value: seal('a') }, { value: masked }],
    ['a seal that the service masked before', { value: masked }, { value: seal('a') }],
    ['a seal within a text next to a mask', { url: `https://${seal('a')}@a/` }, { url: `https://${masked}@a/` }],
  ])('leave out %s', (_, before, after) => {
    expect(differences(before, after)).toEqual([])
  })

  it('omit a member of a struct that one side does not show', () => {
    const options = { sealsComparable: true }
    const before = { config: { ssl: { enforce_secure_endpoints: true }, strategy: { retry_count: 3 } } }
    const after = { config: { ssl: {}, strategy: { retry_count: 4 } } }
    expect(diffAttributes('project', before, after, options)).toEqual([
      { path: '/config/strategy/retry_count', before: 3, after: 4 },
    ])
  })

  it('include a masked value against a text that is not a seal', () => {
    expect(differences({ value: masked }, { value: 'plain' })).toEqual([`/value: "${masked}" -> "plain"`])
    expect(differences({ value: 'plain' }, { value: masked })).toEqual([`/value: "plain" -> "${masked}"`])
    expect(differences({ value: masked }, { value: `x${seal('a')}` })).toHaveLength(1)
  })

  it('include another seal only when one key made both', () => {
    const [before, after] = [
      { value: seal('a'), list: [seal('a')] },
      { value: seal('b'), list: [seal('b')] },
    ]
    expect(differences(before, after)).toHaveLength(2)
    expect(differences(before, after, false)).toEqual([])
    expect(differences({ url: `a ${seal('a')}` }, { url: `b ${seal('b')}` }, false)).toHaveLength(1)
    expect(differences({ list: [1, seal('a')] }, { list: [2, seal('b')] }, false)).toHaveLength(1)
    expect(differences({ n: 1 }, { n: 2 }, false)).toEqual(['/n: 1 -> 2'])
  })

  it('treat inherited members as absent', () => {
    expect(differences({ extra: { toString: 1 } }, { extra: {} })).toEqual(['/extra/toString: 1 -> null'])
    expect(differences({ constructor: 1 } as JsonObject, {})).toEqual([])
  })
})

describe('the merged state of a resource', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['keeps what this scan did not show', { url: 'a', name: 'n' }, { url: 'b' }, { name: 'n', url: 'b' }],
    ['takes what is new', { url: 'a' }, { name: 'n' }, { name: 'n', url: 'a' }],
    ['takes a value that became null', { url: 'a' }, { url: null }, { url: null }],
    ['keeps a seal that the service masks now', { value: seal('a') }, { value: masked }, { value: seal('a') }],
    ['takes a mask for a text that was not sealed', { value: 'plain' }, { value: masked }, { value: masked }],
    ['takes a seal for a mask', { value: masked }, { value: seal('a') }, { value: seal('a') }],
    [
      'carries members of a thing over, and drops things that are gone',
      { secrets: { k1: { value: seal('a'), expires_at: 'x' }, k2: { value: seal('b') } } },
      { secrets: { k1: { value: masked }, k3: { value: masked } } },
      { secrets: { k1: { value: seal('a'), expires_at: 'x' }, k3: { value: masked } } },
    ],
    [
      'takes a thing that was not an object',
      { secrets: { k1: 'x' } },
      { secrets: { k1: { a: 1 } } },
      { secrets: { k1: { a: 1 } } },
    ],
    [
      'takes a thing that is not an object',
      { secrets: { k1: { a: 1 } } },
      { secrets: { k1: 'x' } },
      { secrets: { k1: 'x' } },
    ],
    [
      'drops absent members of an object whose empty members mean nothing, and unmasks the others',
      { authentication: { type: 'api_key', api_key: { header_name: 'h', header_value: seal('a') } } },
      { authentication: { api_key: { header_value: masked } } },
      { authentication: { api_key: { header_value: seal('a') } } },
    ],
    ['takes an unknown object whole', { extra: { a: 1, b: 2 } }, { extra: { a: 3 } }, { extra: { a: 3 } }],
    [
      'takes what is within an unknown object whole',
      { extra: { a: { b: 1 } } },
      { extra: { a: { c: 2 } } },
      { extra: { a: { c: 2 } } },
    ],
    [
      'takes things where there were none',
      { secrets: null },
      { secrets: { k1: { a: 1 } } },
      { secrets: { k1: { a: 1 } } },
    ],
    ['takes a mask for a list of seals', { value: [seal('a')] }, { value: masked }, { value: masked }],
    [
      'takes an object for a text',
      { authentication: 'x' },
      { authentication: { type: 'a' } },
      { authentication: { type: 'a' } },
    ],
    ['takes a text for an object', { secrets: { k1: {} } }, { secrets: 'x' }, { secrets: 'x' }],
  ])('%s', (_, before, after, known) => {
    expect(carryOver('endpoint', before, after)).toEqual(known)
  })

  it('keeps members of a struct that were not shown', () => {
    const before = { config: { strategy: { type: 'linear', retry_count: 3 } } }
    expect(carryOver('project', before, { config: { strategy: { retry_count: 4 } } })).toEqual({
      config: { strategy: { type: 'linear', retry_count: 4 } },
    })
  })

  it('keeps no value by another name of a field that is shown by its own', () => {
    const before = { config: { search_policy: '', sync_dynamic_event_ack: true } }
    const now = { config: { verify_dynamic_events: false } }
    expect(carryOver('project', before, now)).toEqual({ config: { search_policy: '', verify_dynamic_events: false } })
    expect(carryOver('project', before, { config: {} })).toEqual(before)
    expect(carryOver('endpoint', { title: 'a', name: 'b', url: 'c' }, { name: 'd' })).toEqual({ name: 'd', url: 'c' })
    const named = { name: 'shop', ...before }
    expect(carryOver('project', named, now)).toEqual({
      name: 'shop',
      config: { search_policy: '', verify_dynamic_events: false },
    })
    expect(carryOver('project', {}, now)).toEqual(now)
    expect(carryOver('project', named, { name: 'crm' })).toEqual({ ...before, name: 'crm' })
    const both = { config: { sync_dynamic_event_ack: true, verify_dynamic_events: false } }
    expect(carryOver('project', before, both).config).toEqual({ search_policy: '', ...both.config })
  })

  it('has its members in order, no matter which side showed them', () => {
    expect(Object.keys(carryOver('endpoint', { b: 1, d: 1 }, { c: 1, a: 1 }))).toEqual(['a', 'b', 'c', 'd'])
  })

  it('accepts a member named like one that every object inherits', () => {
    const before: JsonObject = JSON.parse('{"__proto__": 1}')
    expect(Object.entries(carryOver('endpoint', before, {}))).toEqual([['__proto__', 1]])
  })
})

describe('seals within attributes', () => {
  it.each<[Json, boolean]>([
    [seal('a'), true],
    [`https://${seal('a')}@a/`, true],
    [['x', [seal('a')]], true],
    [{ a: { b: seal('a') } }, true],
    [masked, false],
    ['sealed:abc', false],
    [['x', 1, null], false],
    [null, false],
    [7, false],
  ])('%j contains one: %s', (value, isSealed) => {
    expect(holdsSeals(value)).toBe(isSealed)
  })

  it('become masks, also within a text', () => {
    const attributes = {
      a: seal('a'),
      b: [seal('b'), 'x', 1],
      c: { d: seal('c'), e: null },
      f: `x ${seal('d')}`,
      g: `${seal('e')} x`,
    }
    expect(maskSeals(attributes)).toEqual({
      a: masked,
      b: [masked, 'x', 1],
      c: { d: masked, e: null },
      f: `x ${masked}`,
      g: `${masked} x`,
    })
  })

  it('are found where both sides hold some', () => {
    const seal = `sealed:${'0'.repeat(32)}`
    const before = {
      secrets: { 'a/b': { value: seal }, gone: { value: seal } },
      url: `https://${seal}@a.example`,
      tags: [seal],
    }
    const after = { secrets: { 'a/b': { value: seal } }, url: 'https://a.example', tags: [seal], fresh: seal }
    expect(sealedOtherwise(before, after, 'another key')).toEqual(['/secrets/a~1b/value', '/tags'])
  })
})

describe('a text that was sealed by part on one side and whole on the other', () => {
  const whole = `${seal('1')} (24 characters)`
  const byPart = `key ${seal('2')} of the team`
  const comparable = { sealsComparable: true }
  const differing = (kind: 'endpoint' | 'source' | 'event_type', before: JsonObject, after: JsonObject) => [
    diffAttributes(kind, before, after, comparable).map(({ path }) => path),
    sealedOtherwise(before, after),
  ]

  it.each([
    ['endpoint', { description: byPart }, { description: whole }, '/description'],
    ['endpoint', { description: whole }, { description: 'key sealed:masked of the team' }, '/description'],
    ['source', { custom_response: { body: byPart } }, { custom_response: { body: whole } }, '/custom_response/body'],
    ['event_type', { json_schema: { default: byPart } }, { json_schema: whole }, '/json_schema'],
  ] as const)('does not differ, and cannot be compared: of %s, %j and %j', (kind, before, after, path) => {
    expect(differing(kind, before, after)).toEqual([[], [path]])
  })

  it.each([
    ['endpoint', { description: 'key of the team' }, { description: whole }, '/description'],
    ['endpoint', { description: whole }, { description: `${seal('2')} (24 characters)` }, '/description'],
    ['endpoint', { description: whole }, { description: null }, '/description'],
    ['event_type', { json_schema: { default: 'x' } }, { json_schema: whole }, '/json_schema'],
    ['event_type', { json_schema: whole }, { json_schema: [seal('1')] }, '/json_schema'],
  ] as const)('differs where one side has no part sealed: of %s, %j and %j', (kind, before, after, path) => {
    expect(diffAttributes(kind, before, after, comparable).map((field) => field.path)).toEqual([path])
  })

  it('differs under two keys where its length does', () => {
    const [before, after] = [{ description: whole }, { description: `${seal('2')} (25 characters)` }]
    expect(diffAttributes('endpoint', before, after, { sealsComparable: false })).toHaveLength(1)
  })
})

describe('a difference', () => {
  it('is reported where an optional field was added', () => {
    expect(between('endpoints', {}, { owner_id: 'tenant-1' })).toEqual([
      { path: '/owner_id', before: null, after: 'tenant-1' },
    ])
  })
  it('is not reported between a mask and a value that it may hide, and is when the mask goes', () => {
    const auth = (password: string) => ({
      authentication: { type: 'basic_auth', basic_auth: { username: 'u', password } },
    })
    expect(between('endpoints', auth('[REDACTED]'), auth('visible'))).toEqual([])
    expect(between('endpoints', auth('[REDACTED]'), { authentication: {} })).toHaveLength(1)
  })
  it('in a filter is exact, key by key', () => {
    const filter = (body: JsonObject) => ({ filter_config: { event_types: ['*'], filter: { body } } })
    expect(between('subscriptions', filter({ a: 1 }), filter({ a: 1, 'b/c': 2 }))).toEqual([
      { path: '/filter_config/filter/body/b~1c', before: null, after: 2 },
    ])
  })
  it('of a stub and the full source is not reported', () => {
    const full = source({
      name: 's',
      type: 'http',
      is_disabled: true,
      verifier: { type: 'noop' },
      body_function: 'function transform(p) { return p }',
      forward_headers: [],
      pub_sub: { type: '', workers: 0 },
    })
    const stub = { uid: 'u', name: 's', type: 'http', is_disabled: true, verifier: null, body_function: null }
    const [lifted] = takeInventory('subscriptions', [{ uid: 'x', source_metadata: stub }], sealer).lifted
    expect(diffAttributes('source', full.attributes, lifted?.attributes ?? {}, { sealsComparable: true })).toEqual([])
    expect(carryOver('source', full.attributes, lifted?.attributes ?? {})).toEqual(full.attributes)
  })
})

describe('a shape', () => {
  const shapeOfAll = (items: readonly Resource[]) =>
    items.reduce<Shape>((before, item) => narrowBy(before, shapeOf(item)), undefined)

  it('is what every item shows, and reveals an upgrade', () => {
    const before = shapeOfAll([endpoint({ name: 'a' }), endpoint({ name: 'b', zone: 'eu' })])
    const after = shapeOfAll([endpoint({ name: 'a', content_type: 'application/json' })])
    expect(compareShapes(before, after)).toEqual({ appeared: ['content_type'], vanished: [] })
    expect(compareShapes(before, before)).toBeUndefined()
    expect(compareShapes(undefined, after)).toBeUndefined()
  })
})
