import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kindOf } from '../../src/audit/project-scan.ts'
import { shapeOf } from '../../src/inventory/shape.ts'
import { takeInventory } from '../../src/inventory/take-inventory.ts'
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts'
import { type Listing, listings } from '../../src/model/resource.ts'
import { type Field, type Members, wireSchema } from '../../src/model/wire-schema.ts'
import { parseJson } from '../../src/service/parse-json.ts'
import { anyCharacter } from '../any-character.ts'
import { sealer } from './inventory-fixture.ts'

/** No object keeps such a name at its place, so each that has it is normalised the generic way, member by member. */
const odd = '0'

/** With an odd member in the item and in all objects within it that have members of their own in the contract. */
function withOddMembers(members: Members, object: JsonObject): JsonObject {
  const known = Object.entries(object).map(([name, value]) => [name, withOddWithin(fieldOf(members, name), value)])
  return Object.fromEntries([...known, [odd, null]])
}

function withOddWithin(field: Field | undefined, value: Json): Json {
  if (field?.type === 'struct' && isJsonObject(value)) return withOddMembers(field.members, value)
  if (field?.type !== 'keyed' || !Array.isArray(value) || !value.every(isJsonObject)) return value
  return value.map((item) => withOddMembers(field.members, item))
}

/** The same in normal form, without the odd members. */
function withoutOddMembers(members: Members, object: JsonObject): JsonObject {
  const others = Object.entries(object).filter(([name]) => name !== odd)
  return Object.fromEntries(others.map(([name, value]) => [name, withoutOddWithin(fieldOf(members, name), value)]))
}

function withoutOddWithin(field: Field | undefined, value: Json): Json {
  if (!isJsonObject(value)) return value
  if (field?.type === 'struct') return withoutOddMembers(field.members, value)
  if (field?.type !== 'keyed') return value
  const things = Object.entries(value).map(([uid, thing]) => [
    uid,
    isJsonObject(thing) ? withoutOddMembers(field.members, thing) : thing,
  ])
  return Object.fromEntries(things)
}

function fieldOf(members: Members, name: string): Field | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

/** Both ways of an item, in all that they give. The text shows the order of members too. */
function expectBothAlike(listing: Listing, item: JsonObject, rows: readonly JsonObject[] | undefined): void {
  const kind = kindOf[listing]
  const filters = wireSchema.subscription.filters
  const take = (of: JsonObject, read: readonly JsonObject[] | undefined) => {
    const readings = new Map(read === undefined || typeof of.uid !== 'string' ? [] : [[of.uid, read]])
    const { listed, lifted } = takeInventory(listing, [of], sealer, readings)
    return [...listed, ...lifted]
  }
  // The function is made when the same members are seen again.
  take(item, rows)
  const made = take(item, rows)
  const oddRows = withOddWithin(filters, rows ?? null)
  const generic = take(withOddMembers(wireSchema[kind], item), Array.isArray(oddRows) ? oddRows : undefined).map(
    (resource) => ({ ...resource, attributes: withoutOddMembers(wireSchema[resource.kind], resource.attributes) }),
  )
  expect(JSON.stringify(made)).toBe(JSON.stringify(generic))
  expect(made.map(shapeOf)).toEqual(generic.map(shapeOf))
}

function recordedItems(): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>()
  const collect = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return
    if (isJsonObject(value) && typeof value.uid === 'string') found.set(JSON.stringify(value), value)
    for (const inner of Object.values(value)) collect(inner)
  }
  for (const directory of ['../fixtures/recordings', '../service/recordings']) {
    const from = new URL(`${directory}/`, import.meta.url)
    for (const name of readdirSync(from)) {
      const text = readFileSync(new URL(name, from), 'utf8')
      const bodies = name.endsWith('.jsonl') ? text.split('\n').filter(isAnswer).map(bodyOf) : [text]
      for (const body of bodies) collect(parsed(body))
    }
  }
  return found
}

function isAnswer(line: string): boolean {
  return line.includes('"response"')
}

function bodyOf(line: string): string {
  return JSON.parse(line).response.body
}

/** As the program reads an answer; what is not JSON has no items. */
function parsed(text: string): Json {
  const read = parseJson(Buffer.from(text))
  return read.ok ? (read.value as Json) : null
}

const oddTexts = [
  ...['', ' ', 'ACTIVE ', '0001-01-01T00:00:00Z', '2026-11-21T05:00:00.120+02:00', '1m30s', '12', 'true', '***'],
  ...[`sealed:${'0'.repeat(32)}`, 'sealed:masked', 'number:1234567890123456789', 'number:1', 'text:number:1e400'],
  ...['password is tr0ub4dor', 'https://u:pw@a.example/hooks/1?token=not-a-real-key', 'pass\u200bword: swordfish'],
  ...['toString', '__proto__', 'a/b~c', '10', '9'],
]
const text = fc.oneof(
  fc.constantFrom('orders', 'Mail: ops@a.example', '01M2T1DQZ9G1WK3R3HA7HW467P', ...oddTexts),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
)
const scalar = fc.oneof(text, fc.constantFrom(0, 1, 1.5, -1, 2 ** 60, true, false, null))
const freeNames = fc.constantFrom('amount', 'password', 'uid', 'name', 'value', '$eq', '__proto__', 'a.b', '10', '9')
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('json'), { maxLength: 3 }),
    fc.array(fc.constantFrom(1, 2, 255), { minLength: 14, maxLength: 17 }),
    fc.dictionary(freeNames, tie('json'), { maxKeys: 3 }),
  ),
}))
const secret = fc.constantFrom(
  ...['whsec_notarealsecret1', 'not-a-real-key-458471fbc5bb5b48', 'changeme', 'orders', 'aaaaaaaaaaaaaaaaaaaaaaaa'],
  ...['ASIAABCDEFGHIJKL2345', '1234567890', 'abcabcabcabc', '***'],
)
const unknown: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  region: json,
  api_token: json,
  'a/b': scalar,
  'say "x"\\\n': scalar,
  labels: json,
  constructor: scalar,
  kT7xQ2mZ9pLw4Vb8: scalar,
  ['__proto__']: scalar,
}

/** What a service may send for a field: mostly what the contract says, and now and then anything. */
function wireValueOf(field: Field): fc.Arbitrary<Json> {
  return fc.oneof({ weight: 6, arbitrary: usualValueOf(field) }, { weight: 1, arbitrary: json })
}

function usualValueOf(field: Field): fc.Arbitrary<Json> {
  switch (field.type) {
    case 'struct':
      return fc.oneof({ weight: 4, arbitrary: itemOf(field.members) }, fc.constantFrom(null, '', {}))
    case 'keyed': {
      const uids = { uid: fc.constantFrom('01M2T1DQZ9G1WK3R3HA7HW467P', '10', '9', '__proto__', 'a/b~c', '') }
      return fc.array(itemOf(field.members, uids), { maxLength: 3 })
    }
    case 'set':
    case 'addresses':
      return fc.array(text, { maxLength: 3 })
    case 'flag':
      return fc.boolean()
    case 'integer':
    case 'seconds':
      return fc.constantFrom(0, 5, 3600)
    case 'time':
      return fc.constantFrom('2026-11-21T03:00:00Z', '2026-11-21T03:00:00.866618Z', null)
    case 'word':
      return fc.constantFrom(...(field.values ?? ['sha256']), 'plain')
    case 'secret':
      return secret
    case 'free':
      return fc.dictionary(freeNames, json, { maxKeys: 3 })
    default:
      return text
  }
}

/** An object with some of these members and now and then an unknown one, in any order. */
function itemOf(members: Members, others: Readonly<Record<string, fc.Arbitrary<Json>>> = {}): fc.Arbitrary<JsonObject> {
  const known = Object.entries(members).map(([name, field]) => [name, wireValueOf(field)] as const)
  const values = [...new Map([...known, ...Object.entries(others)])]
  const strange = Object.entries(unknown)
  return fc
    .tuple(fc.shuffledSubarray(values), fc.oneof(fc.constant([]), fc.shuffledSubarray(strange, { maxLength: 2 })))
    .chain((chosen) => fc.tuple(...chosen.flat().map(([name, value]) => fc.tuple(fc.constant(name), value))))
    .map((entries) => Object.fromEntries(entries))
}

const embedded = fc.oneof(
  fc.record({ uid: fc.constantFrom('', '01M2T1DQZ9G1WK3R3HA7HW467P'), name: scalar, verifier: json }),
  fc.constantFrom(null, '', {}, 'text'),
)
const also: Readonly<Record<Listing, Readonly<Record<string, fc.Arbitrary<Json>>>>> = {
  project: {},
  endpoints: { title: scalar, target_url: scalar },
  sources: {},
  event_types: {},
  subscriptions: { source_metadata: embedded, device_metadata: embedded, endpoint_metadata: embedded },
}

describe('a function that is made for all objects with the same members', () => {
  const recorded = recordedItems()

  it.each(listings)('gives every recorded item as %s the normal form that the generic way gives', (listing) => {
    expect(recorded.size).toBeGreaterThan(500)
    for (const item of recorded.values()) expectBothAlike(listing, item, undefined)
  })

  it.each(listings)('gives random %s the normal form that the generic way gives', (listing) => {
    const rows = wireSchema.subscription.filters
    const filters =
      rows?.type === 'keyed' && listing === 'subscriptions' ? fc.array(itemOf(rows.members)) : fc.constant(undefined)
    fc.assert(
      fc.property(
        itemOf(wireSchema[kindOf[listing]], also[listing]),
        fc.option(filters, { nil: undefined }),
        (item, read) => {
          expectBothAlike(listing, item, read)
        },
      ),
      { numRuns: 2000 },
    )
  })
})
