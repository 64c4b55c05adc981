import { isExactNumber } from '../../model/exact-number.ts'
import { inKeyOrder, isJsonObject, type Json, type JsonObject, setProperty } from '../../model/json.ts'
import type { Release } from '../../model/release-range.ts'
import { type Kind, type Listing, longestUid, type Resource, type SecretFacts } from '../../model/resource.ts'
import { aliases, requiredFields, wireSchema } from '../fields.ts'
import { type Normalisation, normaliseMembers, type UnseenMember } from './normalise.ts'
import type { Sealer } from './sealer.ts'
import type { Neighbours } from './secret-facts.ts'

/** The resources of a page, in normal form. */
export interface Inventory {
  /** One for each item, in the page's order. */
  readonly listed: readonly Resource[]
  /** Sources and devices that subscriptions embed, once per uid, with the few fields that are filled there. */
  readonly lifted: readonly Resource[]
  /** Members that listed ones do not show, and that releases before the named one lack. */
  readonly newer: ReadonlyMap<Resource, readonly UnseenMember[]>
}

/** The filter rows of a subscription as the service sent them, or that they were due and were not read. */
export type FilterReading = readonly JsonObject[] | 'unread'
/** By the uid of the subscription. */
export type FilterReadings = ReadonlyMap<string, FilterReading>

/**
 * Turns the items of a page into resources: lifts, seals, normalises. Pure except for the sealer's key. `filters`: of
 * subscriptions; without an entry, the rows of one were not due.
 */
export function takeInventory(
  listing: Listing,
  items: readonly JsonObject[],
  sealer: Sealer,
  filters: FilterReadings = noFilters,
): Inventory {
  const newer = new Map<Resource, readonly UnseenMember[]>()
  const inventory = { sealer, newer }
  switch (listing) {
    case 'project':
      return { listed: items.map((item) => resourceOf('project', item, inventory)), lifted: [], newer }
    case 'endpoints':
      return { listed: items.map((item) => resourceOf('endpoint', item, inventory)), lifted: [], newer }
    case 'sources':
      return { listed: items.map((item) => sourceOf(item, inventory)), lifted: [], newer }
    case 'event_types':
      return { listed: items.map((item) => resourceOf('event_type', item, inventory)), lifted: [], newer }
    case 'subscriptions': {
      const listed = items.map((item) => subscriptionOf(item, inventory, filters))
      return { listed, lifted: lift(items, inventory), newer }
    }
  }
}

/** What the resources of a page share. */
interface PageContext {
  readonly sealer: Sealer
  readonly newer: Map<Resource, readonly UnseenMember[]>
}

/** The same resources; of each, what it does not show is unseen as well if the service has it. */
export function withNewer(
  { listed, newer }: Pick<Inventory, 'listed' | 'newer'>,
  isOffered: (release: Release) => boolean,
): readonly Resource[] {
  if (newer.size === 0) return listed
  return listed.map((resource) => {
    const missing = (newer.get(resource) ?? none).filter(({ since }) => since !== undefined && isOffered(since))
    return missing.length === 0 ? resource : withUnseen(resource, missing)
  })
}

function withUnseen(resource: Resource, members: readonly Pick<UnseenMember, 'pointer'>[]): Resource {
  return { ...resource, unseen: [...(resource.unseen ?? none), ...members.map(({ pointer }) => pointer)] }
}

const noFilters: FilterReadings = new Map()

/** A subscription refers to its endpoint, source and device; the copies that the service embeds are stubs. */
function subscriptionOf(item: JsonObject, context: PageContext, filters: FilterReadings): Resource {
  const raw: Record<string, Json> = {}
  // For so many members, the engine takes several times as long to spread an object.
  for (const name in item) setProperty(raw, name, item[name] ?? null)
  refer(raw, 'endpoint_uid', item.endpoint_metadata)
  refer(raw, 'source_uid', item.source_metadata)
  refer(raw, 'device_uid', item.device_metadata)
  // A list does not show them; a member of that name is something else.
  const rows = typeof item.uid === 'string' ? filters.get(item.uid) : undefined
  delete raw.filters
  if (rows !== undefined && rows !== 'unread') raw.filters = rows
  const subscription = resourceOf('subscription', raw, context)
  // Rows that should have been read and were not are unknown.
  return rows === 'unread' ? withUnseen(subscription, [{ pointer: '/filters' }]) : subscription
}

function refer(raw: Record<string, Json>, name: string, embedded: Json | undefined): void {
  const uid = referenceTo(embedded)
  if (uid === undefined) delete raw[name]
  else raw[name] = uid
}

const none: readonly never[] = []

function lift(items: readonly JsonObject[], context: PageContext): Resource[] {
  const lifted = new Map<string, Resource>()
  for (const { source_metadata: source, device_metadata: device } of items) {
    const sourceUid = uidWithin(source)
    if (sourceUid !== null && isJsonObject(source) && !lifted.has(`source ${sourceUid}`)) {
      lifted.set(`source ${sourceUid}`, sourceOf(source, context, true))
    }
    const deviceUid = uidWithin(device)
    if (deviceUid !== null && isJsonObject(device) && !lifted.has(`device ${deviceUid}`)) {
      lifted.set(`device ${deviceUid}`, resourceOf('device', device, context, { isStub: true }))
    }
  }
  return [...lifted.values()]
}

/** `null`, `{"type":"noop"}` and members of empty texts all mean that a source verifies nothing. */
function sourceOf(item: JsonObject, context: PageContext, isStub = false): Resource {
  const amend = (attributes: JsonObject) => {
    const isNone = item.verifier !== undefined && (attributes.verifier ?? null) === null
    return isNone ? inKeyOrder({ ...attributes, verifier: { type: 'noop' } }) : attributes
  }
  return resourceOf('source', item, context, { isStub, amend })
}

interface Peculiarities {
  readonly isStub?: boolean
  /** What else the normal form of the kind has. */
  readonly amend?: (attributes: JsonObject) => JsonObject
}

function resourceOf(
  kind: Kind,
  item: JsonObject,
  { sealer, newer }: PageContext,
  { isStub = false, amend = (attributes) => attributes }: Peculiarities = {},
): Resource {
  const { raw, malformed, lacks } = withoutAliases(kind, item)
  const facts: Record<string, SecretFacts> = {}
  const volatile: Record<string, Json> = {}
  const missing: UnseenMember[] = []
  const job: Normalisation = {
    sealer,
    isStub,
    neighbours: neighboursOf(raw),
    facts,
    volatile,
    malformed,
    unseen: missing,
  }
  const attributes = amend(normaliseMembers(wireSchema[kind], raw, '', job))
  if (isStub) missing.push(...unfilled(kind, attributes))
  const uid = typeof raw.uid === 'string' ? raw.uid : ''
  const resource: Resource = { kind, uid, name: nameOf(kind, attributes), attributes, volatile, facts }
  if (malformed.length + missing.length === 0) return resource
  const shouldBe = missing.filter(({ pointer }) => !lacks.includes(pointer.slice(1)))
  const unseen = shouldBe.flatMap(({ pointer, since }) => (since === undefined ? [pointer] : []))
  const whole = {
    ...resource,
    ...(malformed.length === 0 ? {} : { malformed }),
    ...(unseen.length === 0 ? {} : { unseen }),
  }
  const ofNewer = shouldBe.filter(({ since }) => since !== undefined)
  if (ofNewer.length > 0) newer.set(whole, ofNewer)
  return whole
}

/** What a stub lacks although every one has it. */
function unfilled(kind: Kind, attributes: JsonObject): UnseenMember[] {
  const absent = requiredFields[kind].filter((name) => !Object.hasOwn(attributes, name))
  return absent.map((name) => ({ pointer: `/${name}`, since: undefined }))
}

/** The names that a weak secret may repeat. */
function neighboursOf(raw: JsonObject): Neighbours {
  const name = raw.name ?? raw.title
  const address = raw.url ?? raw.target_url
  return {
    name: typeof name === 'string' ? name : '',
    uid: typeof raw.uid === 'string' ? raw.uid : '',
    address: typeof address === 'string' ? address : '',
    user: '',
  }
}

function nameOf(kind: Kind, attributes: JsonObject): string {
  const name = kind === 'device' ? attributes.host_name : attributes.name
  return typeof name === 'string' ? name.toWellFormed() : ''
}

interface RenamedItem {
  readonly raw: JsonObject
  readonly malformed: string[]
  /** Fields that the interface with these names does not have. */
  readonly lacks: readonly string[]
}

/**
 * The item with the contract's names. If a release shows both names with different values, it is unknown which one
 * counts: the contract's name keeps its value and is malformed, and the other one is kept too, so that a change of
 * either is seen.
 */
function withoutAliases(kind: Kind, item: JsonObject): RenamedItem {
  const malformed: string[] = []
  const lacks: string[] = []
  let raw = item
  for (const { within, alias, name, without = none } of aliases[kind] ?? []) {
    const owner = within === undefined ? raw : raw[within]
    if (!isJsonObject(owner) || !Object.hasOwn(owner, alias)) continue
    lacks.push(...without)
    const renamed: Record<string, Json> = {}
    for (const [key, value] of Object.entries(owner)) {
      if (key !== alias) setProperty(renamed, key, value)
      else if (!Object.hasOwn(owner, name)) setProperty(renamed, name, value)
      else if (value !== owner[name]) {
        setProperty(renamed, key, value)
        malformed.push(within === undefined ? `/${name}` : `/${within}/${name}`)
      }
    }
    raw = within === undefined ? renamed : replaced(raw, within, renamed)
  }
  return { raw, malformed, lacks }
}

/** A copy with another value in place of one member. */
function replaced(object: JsonObject, name: string, value: Json): JsonObject {
  const copy: Record<string, Json> = {}
  for (const [key, old] of Object.entries(object)) setProperty(copy, key, key === name ? value : old)
  return copy
}

/**
 * What a subscription refers to: null for nothing, undefined where the answer does not show it. Anything but an object
 * with the text of a uid stays as it is, and is malformed.
 */
function referenceTo(embedded: Json | undefined): Json | undefined {
  if (embedded === null || embedded === '') return null
  if (isJsonObject(embedded)) return embedded.uid === '' ? null : embedded.uid
  return embedded === undefined ? undefined : [embedded]
}

function uidWithin(embedded: Json | undefined): string | null {
  const uid = isJsonObject(embedded) ? embedded.uid : null
  return typeof uid === 'string' && uid !== '' && uid.length <= longestUid && !isExactNumber(uid) ? uid : null
}
