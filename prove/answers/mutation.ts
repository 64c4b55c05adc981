import type { Random } from '../../src/demo/random.ts'
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts'
import { type PagedList, pagedLists, type RecordedWorld } from './recorded-world.ts'
import { bodyOf, countPages, cursorTo, describePlace, type WireAnswer, type WirePlace } from './wire-answers.ts'

/**
 * What a mutated answer shows of what was changed: `hidden`: nothing that a rule could rely on; `carried`: nothing, so
 * that what was known of it holds; `page`: it is not about a value.
 */
type Shows = 'hidden' | 'carried' | 'value' | 'page'

/** Members that may be absent: when they are empty, or because a release does not have them. */
const mayBeAbsent: Readonly<Partial<Record<WirePlace['listing'], readonly string[]>>> = {
  project: ['statistics'],
  endpoints: [
    'owner_id',
    'support_email',
    'slack_webhook_url',
    'teams_webhook_url',
    'mtls_client_cert',
    'content_type',
  ],
  subscriptions: ['alert_config', 'rate_limit_config', 'retry_config', 'device_metadata'],
}

/** Members that no release leaves empty, with what they may be. */
const alwaysFilled: Readonly<Partial<Record<WirePlace['listing'], string>>> = { endpoints: 'status', sources: 'type' }

/** Words and addresses, by the way that leads there: what another text says there is unknown. */
const meant: Readonly<Partial<Record<WirePlace['listing'], RegExp>>> = {
  project: /^config\/(?:strategy\/type|signature\/versions\/\d+\/(?:hash|encoding)|meta_event\/(?:type|url))$/,
  endpoints: /^(?:url|status|authentication\/(?:type|oauth2\/(?:url|authentication_type|expiry_time_unit)))$/,
  sources: /^(?:type|provider|verifier\/(?:type|hmac\/(?:hash|encoding))|pub_sub\/type)$/,
  subscriptions: /^(?:type|delivery_mode|retry_config\/type)$/,
}

/** One answer of a service, changed in one way. */
export interface Mutation {
  readonly place: WirePlace
  /** The item that is changed; undefined: the answer around its items, or its bytes. */
  readonly item: JsonObject | undefined
  /** What of the item is changed, as a JSON Pointer. */
  readonly pointer: string
  readonly shows: Shows
  /** In words. */
  readonly text: string
  spoil(answer: WireAnswer): WireAnswer
}

type Path = readonly (string | number)[]

/**
 * Draws a place of an answer, and what becomes of it. `index`: the number of the mutation among those of its world. The
 * listings take turns, so that one of each can share a run.
 */
export function drawMutation(world: RecordedWorld, index: number, random: Random): Mutation {
  const place = drawPlace(world, listings[index % listings.length] ?? 'endpoints', random)
  const body = bodyOf(place, world)
  if (body === undefined) throw new Error(`nothing answers ${describePlace(place)}`)
  return random.chance(0.8) ? mutateField(place, body, random) : mutateBytes(place, random)
}

/** Filters twice: each subscription has a listing of them. */
const listings = ['endpoints', 'filters', 'subscriptions', 'sources', 'filters', 'project', 'event_types'] as const

function drawPlace(world: RecordedWorld, listing: WirePlace['listing'], random: Random): WirePlace {
  const [subscription = '', ...others] = world.filters.keys()
  if (listing === 'filters') return { listing, page: 0, of: random.pick([subscription, ...others]) }
  const isPaged = (name: string): name is PagedList => pagedLists.some((list) => list === name)
  const last = isPaged(listing) ? countPages(listing, world) - 1 : 0
  return { listing, page: random.pick([0, Math.floor(last / 2), last]), of: '' }
}

/** JSON text that takes the place of a value. */
const values: Readonly<Record<string, string>> = {
  null: 'null',
  true: 'true',
  '0': '0',
  '-1': '-1',
  '1e308': '1e308',
  '""': '""',
  '[]': '[]',
  '{}': '{}',
  'another word': '"newkind"',
  'no address': '"https://[bad/x"',
  'a megabyte': JSON.stringify('x'.repeat(1_000_000)),
}
const otherTexts = ['another word', 'no address']
const changes = [...Object.keys(values), 'missing', 'twice'] as const

function mutateField(place: WirePlace, body: JsonObject, random: Random): Mutation {
  const isWithinItem = ([data, list, at]: Path) =>
    data === 'data' && (place.listing === 'project' || typeof list === 'number' || typeof at === 'number')
  const all = pathsIn(body)
  const isOfItem = random.chance(0.9)
  const [first = [], ...others] = all.filter((path) => isWithinItem(path) === isOfItem)
  const path = random.pick([first, ...others])
  const was = valueAt(body, path)
  // Another text as a uid is another resource.
  const isUid = /uid$/.test(String(path.at(-1)))
  const [change = 'null', ...otherChanges] = isUid ? changes.filter((name) => !otherTexts.includes(name)) : changes
  const chosen = random.pick([change, ...otherChanges])
  const itemPath = isWithinItem(path) ? path.slice(0, place.listing === 'project' ? 1 : isPagedPath(path) ? 3 : 2) : []
  const item = itemPath.length === 0 ? undefined : valueAt(body, itemPath)
  const inItem = path.length > itemPath.length && isJsonObject(item)
  return {
    place,
    item: isJsonObject(item) ? item : undefined,
    pointer: path
      .slice(itemPath.length)
      .map((step) => `/${step}`)
      .join(''),
    shows: inItem ? showsOf(chosen, was, { listing: place.listing, members: path.slice(itemPath.length) }) : 'page',
    text: `${describePlace(place)}, /${path.join('/')}: ${chosen}`,
    spoil: (answer) => ({ ...answer, body: Buffer.from(writeChanged(body, path, chosen)) }),
  }
}

function isPagedPath([, list]: Path): boolean {
  return list === 'content'
}

/**
 * A text for a number is not a value. Nothing and an empty value are what the service says; a text for a list of texts
 * is a list of one; a condition of a filter row is any JSON.
 */
function showsOf(
  change: string,
  was: Json | undefined,
  { listing, members }: Pick<WirePlace, 'listing'> & { readonly members: Path },
): Shows {
  if (change === 'twice') return 'page'
  const way = members.join('/')
  if (change === 'missing') {
    if (isEmpty(was) || mayBeAbsent[listing]?.includes(String(members[0])) === true) return 'value'
    // What people write, and what is embedded, may have any members; an entry of a list may be gone.
    if (/^(?:filter_config\/filter\/\w+\/|\w+_metadata\/|json_schema\/)/.test(way)) return 'value'
    if (listing === 'filters' || typeof members.at(-1) === 'number' || /\/uid$/.test(way)) return 'value'
    if (way === 'config/circuit_breaker') return 'carried'
    return 'hidden'
  }
  const value: Json = JSON.parse(values[change] ?? 'null')
  if ((value === null || value === '') && members.join('/') === alwaysFilled[listing]) return 'hidden'
  if (typeof value === 'string' && value !== '' && meant[listing]?.test(way) === true) return 'hidden'
  const isCondition = listing === 'filters' && members.length > 1
  if (isCondition || isEmpty(value) || was === null || was === undefined) return 'value'
  const isListOfOne = typeof value === 'string' && Array.isArray(was) && was.every((item) => typeof item === 'string')
  return isListOfOne || typeNameOf(value) === typeNameOf(was) ? 'value' : 'hidden'
}

function isEmpty(value: Json | undefined): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function typeNameOf(value: Json): string {
  return Array.isArray(value) ? 'array' : typeof value
}

function pathsIn(value: Json | undefined, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const members = Array.isArray(value) ? value.entries() : Object.entries(value)
  const within = [...members].flatMap(([name, member]) => pathsIn(member, [...path, name]))
  return path.length === 0 ? within : [path, ...within]
}

function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, step) => (typeof found === 'object' && found !== null ? (found as Record<string, Json>)[step] : undefined),
    value,
  )
}

/** The JSON text of a value, changed at a path. */
function writeChanged(value: Json, [step, ...rest]: Path, change: string): string {
  if (Array.isArray(value)) {
    const parts = value.flatMap((element, at) => {
      if (at !== step) return [JSON.stringify(element)]
      return rest.length === 0 ? changed(element, change) : [writeChanged(element, rest, change)]
    })
    return `[${parts.join(',')}]`
  }
  const parts = Object.entries(value as JsonObject).flatMap(([name, member]) => {
    const key = JSON.stringify(name)
    if (name !== step) return [`${key}:${JSON.stringify(member)}`]
    if (rest.length > 0) return [`${key}:${writeChanged(member, rest, change)}`]
    return changed(member, change).map((text) => `${key}:${text}`)
  })
  return `{${parts.join(',')}}`
}

/** What takes the place of a member or an element: nothing, one, or two. */
function changed(value: Json, change: string): string[] {
  if (change === 'missing') return []
  if (change === 'twice') return [JSON.stringify(value), 'null']
  return [values[change] ?? 'null']
}

function mutateBytes(place: WirePlace, random: Random): Mutation {
  const about = describePlace(place)
  const made = (text: string, spoil: Mutation['spoil']): Mutation => ({
    place,
    item: undefined,
    pointer: '',
    shows: 'page',
    text: `${about}: ${text}`,
    spoil,
  })
  const share = random.bits() / 0x1_0000_0000
  const at = (body: Buffer) => Math.floor(share * body.length)
  switch (random.pick(['flipped', 'flipped', 'flipped', 'cut', 'nested', 'loop', 'type', 'status'])) {
    case 'flipped': {
      const flips = Array.from({ length: 1 + random.below(4) }, () => [random.bits() / 0x1_0000_0000, random.below(8)])
      return made(`${flips.length} bits flipped`, (answer) => {
        const body = Buffer.from(answer.body)
        for (const [where = 0, bit = 0] of flips) {
          const place = Math.floor(where * body.length)
          body[place] = (body[place] ?? 0) ^ (1 << bit)
        }
        return { ...answer, body }
      })
    }
    case 'cut':
      return made(`cut after ${(share * 100).toFixed(1)} %`, (answer) => ({
        ...answer,
        body: answer.body.subarray(0, at(answer.body)),
      }))
    case 'nested': {
      const depth = random.pick([63, 64, 65, 1_000, 100_000])
      const [open, close] = random.pick([
        ['[', ']'],
        ['{"a":', '}'],
      ])
      return made(`nested ${depth} deep`, (answer) => ({
        ...answer,
        body: Buffer.from(
          answer.body.toString().replace(/"(?:uid|name)":"[^"]*"/, (member) => {
            return `${member},"deep":${open?.repeat(depth)}0${close?.repeat(depth)}`
          }),
        ),
      }))
    }
    case 'loop': {
      const to = random.below(place.page + 1)
      return made(`leads back to page ${to + 1}`, (answer) => ({
        ...answer,
        body: Buffer.from(
          answer.body
            .toString()
            .replace(/"has_next_page":\w+/, '"has_next_page":true')
            .replace(/"next_page_cursor":"[^"]*"/, `"next_page_cursor":"${cursorTo(to)}"`),
        ),
      }))
    }
    case 'type': {
      const type = random.pick(['text/html', 'text/plain', 'application/xml', 'application/octet-stream', ''])
      return made(`content type "${type}"`, (answer) => ({ ...answer, type }))
    }
    default: {
      const status = random.pick([201, 204, 206, 304, 400, 401, 403, 404, 405, 429, 500, 502, 503])
      return made(`status ${status}`, (answer) => ({ ...answer, status }))
    }
  }
}
