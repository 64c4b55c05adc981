import { describe, expect, it } from 'vitest'
import { type Field, type Members, wireSchema } from '../../src/gateway/fields.ts'
import { malformedFields } from '../../src/gateway/inventory/malformed.ts'
import { openSecrets } from '../../src/gateway/inventory/open-secrets.ts'
import { takeInventory } from '../../src/gateway/inventory/take-inventory.ts'
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts'
import type { Listing, Resource } from '../../src/model/resource.ts'
import { sealer } from './inventory-fixture.ts'

/** JSON of every kind; none of these texts is a value of an enumeration, a number, a flag or a time. */
const values: readonly Json[] = [
  ...[0, 5, 1.5, -3, 'number:1234567890123456789', true, false, 'some words', '17', '10s', 'true'],
  ...[
    '2026-11-21T03:00:00Z',
    [],
    ['some words'],
    ['number:1234567890123456789'],
    [5],
    [4, 2],
    [null],
    [{}],
    [{ uid: 'x' }],
  ],
  ...[{}, { some: 'words' }, { K: { uid: 'K' } }],
]

/** What the contract, and the forms that releases write, allow. */
const allowed: Readonly<Record<Field['type'], (value: Json, field: Field) => boolean>> = {
  text: isText,
  // No text here is a word that a release knows, or an address.
  word: (value, field) => isText(value) && !('values' in field) && !('isHash' in field),
  name: isText,
  prose: isText,
  certificate: isText,
  code: isText,
  url: (value, field) => isText(value) && !('isTarget' in field),
  'secret-url': isText,
  secret: (value) => isText(value) || (Array.isArray(value) && value.length > 0 && value.every(Number.isInteger)),
  integer: (value, { use }) =>
    (typeof value === 'number' && (use === 'volatile' || Number.isInteger(value))) || value === '17',
  seconds: (value) => typeof value === 'number' || value === '17' || value === '10s',
  flag: (value) => typeof value === 'boolean' || value === 'true',
  time: (value) => value === '2026-11-21T03:00:00Z',
  set: isTexts,
  addresses: isTexts,
  keyed: (value) => Array.isArray(value) && value.every(isObject),
  struct: isObject,
  free: isObject,
}

function isText(value: Json): boolean {
  return typeof value === 'string' && !value.startsWith('number:')
}

function isTexts(value: Json): boolean {
  return isText(value) || (Array.isArray(value) && value.every(isText))
}

function isObject(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface Place {
  readonly pointer: string
  readonly field: Field
  /** An item with a value there. */
  item(value: Json): JsonObject
}

/** Every field, and those within, of a kind. What a walk checks before it takes an item is left out. */
function* placesIn(
  members: Members,
  pointer = '',
  within: (inner: JsonObject) => JsonObject = (inner) => inner,
): Generator<Place> {
  for (const [name, field] of Object.entries(members)) {
    if (field.use === 'reference' || (pointer === '' && /^(?:uid|project_id|\w+_uid)$/.test(name))) continue
    if ('isAnything' in field) continue
    // hookdrift makes it itself.
    if (name === 'position') continue
    const item = (value: Json) => within({ [name]: value })
    const isKeyedBy = field.type === 'keyed' && field.by !== undefined
    if (!isKeyedBy) yield { pointer: `${pointer}/${name}`, field, item }
    if (field.type === 'struct') yield* placesIn(field.members, `${pointer}/${name}`, item)
    if (field.type === 'keyed') {
      yield* placesIn(field.members, `${pointer}/${name}/K`, (inner) => item([{ [field.by ?? 'uid']: 'K', ...inner }]))
    }
  }
}

function malformedOf(listing: Listing, item: JsonObject, part: 'listed' | 'lifted' = 'listed'): Resource | undefined {
  const { filters } = item
  const readings = new Map(Array.isArray(filters) ? [['U', filters.filter(isJsonObject)] as const] : [])
  return takeInventory(listing, [{ uid: 'U', ...item }], sealer, readings)[part].find(
    ({ kind }) => part === 'listed' || kind === 'device',
  )
}

const kinds = [
  ['project', 'project'],
  ['endpoint', 'endpoints'],
  ['source', 'sources'],
  ['subscription', 'subscriptions'],
] as const

describe('a value of another type than the contract says', () => {
  const places = kinds.flatMap(([kind, listing]) =>
    [...placesIn(wireSchema[kind])].map((place) => [`${kind} ${place.pointer}`, kind, listing, place] as const),
  )

  it.each(places)('is noted in %s, and nothing else is', (_, kind, listing, { pointer, field, item }) => {
    for (const value of values) {
      const resource = malformedOf(listing, item(value))
      const isWrong = !allowed[field.type](value, field)
      const noted = resource?.malformed?.filter((path) => path === pointer) ?? []
      expect(noted, JSON.stringify(value)).toEqual(isWrong ? [pointer] : [])
      if (field.use === 'volatile') continue
      // What is kept of it breaks the contract too, and `verify --deep` finds nothing to seal in it.
      const kept = resource?.attributes ?? {}
      expect(malformedFields(kind, kept).includes(pointer), JSON.stringify(value)).toBe(isWrong)
      expect([...openSecrets.inBody(kind, kept)], JSON.stringify(value)).toEqual([])
    }
  })

  it.each(['endpoint', 'source', 'device'])('is noted in the %s of a subscription', (kind) => {
    const pointer = `/${kind}_uid`
    for (const value of values) {
      const outer = malformedOf('subscriptions', { [`${kind}_metadata`]: value })
      expect(outer?.malformed ?? [], JSON.stringify(value)).toEqual(isObject(value) ? [] : [pointer])
      const inner = malformedOf('subscriptions', { [`${kind}_metadata`]: { uid: value } })
      expect(inner?.malformed ?? [], JSON.stringify(value)).toEqual(isText(value) ? [] : [pointer])
      for (const resource of [outer, inner]) {
        const kept = malformedFields('subscription', resource?.attributes ?? {})
        expect(kept, JSON.stringify(value)).toEqual(resource?.malformed ?? [])
      }
    }
  })

  it('is noted in the uid of a secret', () => {
    for (const value of values) {
      const { malformed = [] } = malformedOf('endpoints', { secrets: [{ uid: value }] }) ?? {}
      expect(malformed, JSON.stringify(value)).toEqual(isText(value) ? [] : ['/secrets'])
    }
  })

  it.each([...placesIn(wireSchema.device)].map((place) => [place.pointer, place] as const))(
    'is noted in %s of a device that a subscription shows',
    (_, { pointer, field, item }) => {
      for (const value of values) {
        const device = malformedOf('subscriptions', { device_metadata: { uid: 'D', ...item(value) } }, 'lifted')
        const noted = device?.malformed ?? []
        expect(noted, JSON.stringify(value)).toEqual(allowed[field.type](value, field) ? [] : [pointer])
      }
    },
  )

  it('shows no secret that a service writes as a number', () => {
    const { attributes, facts } = malformedOf('endpoints', { secrets: [{ uid: 'K', value: 4711081547110815 }] }) ?? {}
    expect(JSON.stringify([attributes, facts])).not.toContain('4711')
  })
})
