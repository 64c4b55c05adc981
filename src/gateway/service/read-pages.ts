import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isExactNumber } from '../../model/exact-number.ts'
import { isJsonObject, type JsonObject } from '../../model/json.ts'
import { type Listing, longestUid } from '../../model/resource.ts'
import { escapeForRegExp } from '../../model/text/neutralise.ts'
import { badId, decodeEnvelope, decodePage } from './decode-envelope.ts'
import type { Dialect } from './dialect.ts'
import { foreignText, withoutCredentials } from './foreign-text.ts'
import { type Ahead, faultOf, type Reply } from './reply.ts'
import type { SendRequest } from './send-request.ts'
import type { ItemIdentity, PagedListing, ProjectAccess, RawPage } from './service-client.ts'
import { type FaultKind, ServiceFault } from './service-fault.ts'
import type { Filters, ServiceSettings } from './settings.ts'
import { pageGroups } from './split-page.ts'
import { projectPath } from './wire-request.ts'

/** A page may have 20,000 items even if fewer were requested: some services do not paginate. */
export function mostItemsOf({ pageSize }: Pick<ServiceSettings, 'pageSize'>): number {
  return Math.max(20_000, pageSize)
}

/** A list of a project to walk. */
export interface PagedList {
  /** Its step below the project. */
  readonly name: string
  readonly filters: readonly ListingFilter[]
  /** Sent with the first request and all others, besides the filters. */
  readonly query: URLSearchParams
}

/** Walks a listing as it is configured. */
export function readPages(
  ask: SendRequest,
  listing: PagedListing,
  access: ProjectAccess,
  settings: ServiceSettings,
): AsyncGenerator<RawPage, void, void> {
  const filters = filtersOf(listing, access.filters, settings.dialect)
  return walkPages(ask, { name: listing, filters, query: usualQuery(settings) }, access, settings)
}

/**
 * Walks a list to its end; only `has_next_page` ends it. A large
 * page is yielded in parts with the same number. The next page is asked for while this one is taken: its answer is read
 * when the last part of this one was taken, and it is not wanted when the walk ends before.
 * @throws ServiceFault when the walk stops being a proof, after the pages before that; nothing of the faulty page is
 * yielded
 */
export async function* walkPages(
  ask: SendRequest,
  { name, filters, query }: PagedList,
  access: ProjectAccess,
  settings: ServiceSettings,
): AsyncGenerator<RawPage, void, void> {
  const path = `${projectPath(access.projectUid)}/${name}`
  const firstQuery = new URLSearchParams(query)
  for (const { parameter, values } of filters) {
    for (const value of values) firstQuery.append(parameter, value)
  }
  const seen = new Set<string>()
  /** Digests: a walk remembers every cursor, and a service may make them long. */
  const cursors = new Set<string>()
  const mostItems = mostItemsOf(settings)
  const request = (cursor: string | null, ahead: Ahead | undefined) => {
    const query = new URLSearchParams(firstQuery)
    if (cursor !== null) query.set(settings.dialect.parameters.nextCursor, cursor)
    const { identify } = access
    return ask({ method: 'GET', path, query, body: null, success: [200], mostItems, identify, ahead }, access)
  }
  let next: ReturnType<typeof askAhead> | undefined
  try {
    for (let number = 1; ; number++) {
      const reply = await (next === undefined ? request(null, undefined) : next.take())
      if (!reply.ok) throw faultOf(reply, `page ${number}`)
      const { requestId } = reply
      const fault = (kind: FaultKind, what: string) => new ServiceFault(kind, `page ${number}: ${what}`, reply)
      const pieces = reply.items
      const { identities } = reply
      const page = decodePage(reply.value, pieces?.length ?? identities?.filter(hasUid).length)
      if (!page.ok) throw fault('malformed', page.reason)
      const { nextCursor } = page.value
      const items = identities === undefined ? page.value.items : mergeItems(page.value.items, identities, access)
      if (identities !== undefined && identities.length !== items.length)
        throw fault('malformed', 'cannot be cut into its items')
      if (items.length > mostItems) throw fault('malformed', `has more than ${mostItems} items: ask for smaller pages`)
      const groups = () => (pieces === undefined ? [{ ok: true as const, items }] : pageGroups(pieces))
      const itemFault = findPageFault(groups(), {
        projectUid: access.projectUid,
        key: access.key,
        filters,
        seen,
      })
      if (itemFault !== undefined) throw fault(itemFault.kind, itemFault.what)
      const mark = nextCursor === null ? null : hash('sha256', nextCursor, 'base64')
      if (mark !== null && cursors.has(mark)) throw fault('malformed', 'names a next page that was read before')
      const hasMore = nextCursor !== null && mark !== null
      if (hasMore && number < settings.limits.maxPages) {
        next = askAhead((ahead) => request(nextCursor, ahead))
        await untilWritten()
      }
      let from = 0
      for (const group of groups()) {
        // The same bytes were parsed above.
        if (!group.ok) throw fault('malformed', group.reason)
        yield { number, ...(pieces === undefined ? {} : { from }), items: group.items, identities, requestId }
        from += group.items.length
      }
      if (!hasMore) return
      if (number >= settings.limits.maxPages)
        throw fault('malformed', 'has no end within the configured number of pages')
      cursors.add(mark)
    }
  } finally {
    next?.abandon()
  }
}

function hasUid({ uid }: ItemIdentity): boolean {
  return uid !== undefined
}

/** All items in their order. `parsed`: those without an identity. */
function mergeItems(
  parsed: readonly JsonObject[],
  identities: readonly ItemIdentity[],
  { projectUid }: Pick<ProjectAccess, 'projectUid'>,
): readonly JsonObject[] {
  const remaining = parsed.values()
  return identities.flatMap(({ uid }) => {
    if (uid !== undefined) return [{ uid, project_id: projectUid }]
    const { value } = remaining.next()
    return value === undefined ? [] : [value]
  })
}

/** As many as a page may have. */
const mostEventTypes = 20_000

/**
 * The catalogue of a project's event types (not in the contract): one answer without pages, whose `data` is the list. A
 * large one is yielded in parts.
 * @throws ServiceFault `not_offered` where there is no such operation; nothing of a faulty answer is yielded
 */
export async function* readEventTypes(ask: SendRequest, access: ProjectAccess): AsyncGenerator<RawPage, void, void> {
  const path = `${projectPath(access.projectUid)}/event-types`
  const question = { method: 'GET', path, query: new URLSearchParams(), body: null, success: [200] } as const
  const reply = await ask({ ...question, mostItems: mostEventTypes }, access)
  if (!reply.ok) throw faultOf(reply, 'event types')
  const fault = (kind: FaultKind, what: string) => new ServiceFault(kind, `event types: ${what}`, reply)
  const envelope = decodeEnvelope(reply.value)
  if (!envelope.ok) throw fault('malformed', envelope.reason)
  // The service writes an empty list as null.
  const data: unknown = envelope.value === null ? [] : envelope.value
  if (!Array.isArray(data)) throw fault('malformed', 'data is not an array')
  if (!data.every(isJsonObject)) throw fault('malformed', 'data contains something that is not an object')
  const pieces = reply.items ?? data
  if (pieces.length > mostEventTypes) throw fault('malformed', `it has more than ${mostEventTypes} items`)
  const groups = () => pageGroups(pieces)
  const itemFault = findCatalogueFault(groups(), { ...access, seen: new Set() })
  if (itemFault !== undefined) throw fault(itemFault.kind, itemFault.what)
  const { requestId } = reply
  let from = 0
  for (const group of groups()) {
    // The same bytes were parsed above.
    if (!group.ok) throw fault('malformed', group.reason)
    yield { number: 1, from, items: group.items, requestId }
    from += group.items.length
  }
}

/** A request that was sent before its turn. */
interface EarlyRequest {
  /** Its turn has come. Rejects as the request does. */
  take(): Promise<Reply>
  /** Ends the request; its outcome is lost. Does nothing once it is taken and answered. */
  abandon(): void
}

/** Sends a request whose answer is wanted later or not at all. */
export function askAhead(ask: (ahead: Ahead) => Promise<Reply>): EarlyRequest {
  const { promise: turn, resolve: come } = Promise.withResolvers<void>()
  const abandoning = new AbortController()
  const reply = ask({ turn, abandoned: abandoning.signal })
  // An abandoned request has no one to handle its error; `take` hands on the same promise with it.
  reply.catch(() => {})
  return {
    take() {
      come()
      return reply
    },
    abandon() {
      abandoning.abort()
      come()
    },
  }
}

/**
 * Waits until a request on an idle connection is written: undici checks the connection for two turns of the event loop
 * first, and taking a page may not leave the loop a turn.
 */
async function untilWritten(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

/** One filter: how to request it, and how an item proves that the service applied it. */
export interface ListingFilter {
  readonly name: string
  /** Sent once for each value. */
  readonly parameter: string
  readonly values: readonly string[]
  holds(item: JsonObject): boolean
}

/** The filters of a listing; an empty value filters nothing and is not sent. */
function filtersOf(
  listing: Listing,
  { endpoints, subscriptions }: Filters,
  { parameters }: Dialect,
): readonly ListingFilter[] {
  if (listing === 'endpoints') {
    return [
      filter('owner', parameters.endpointOwner, endpoints?.owner, (owner) => (item) => item.owner_id === owner),
      filter('name', parameters.endpointName, endpoints?.name, nameHolds),
    ].flat()
  }
  if (listing === 'subscriptions') {
    return [
      filter('name', parameters.subscriptionName, subscriptions?.name, nameHolds),
      endpointFilter(parameters.subscriptionEndpoint, subscriptions?.endpoints ?? []),
    ].flat()
  }
  return []
}

function filter(
  name: string,
  parameter: string,
  value: string | undefined,
  check: (value: string) => ListingFilter['holds'],
): ListingFilter[] {
  return value ? [{ name, parameter, values: [value], holds: check(value) }] : []
}

/**
 * Whether the name contains `part`, in any case. The service matches with ILIKE, where `_` is any character and `%` any
 * number of them. Each text between two `%` is searched for after the first match of the one before: a name can be
 * long, and is scanned once.
 */
function nameHolds(part: string): ListingFilter['holds'] {
  const patterns = part.split('%').map((text) => new RegExp(escapeForRegExp(text).replaceAll('_', '.'), 'gisu'))
  return (item) => {
    // One version of the API says `title`.
    const name = item.name ?? item.title
    if (typeof name !== 'string') return false
    let at = 0
    return patterns.every((pattern) => {
      pattern.lastIndex = at
      const isFound = pattern.test(name)
      at = pattern.lastIndex
      return isFound
    })
  }
}

function endpointFilter(parameter: string, uids: readonly string[]): ListingFilter[] {
  if (uids.length === 0) return []
  const requested = new Set<unknown>(uids)
  const holds = ({ endpoint_metadata: endpoint }: JsonObject) => isJsonObject(endpoint) && requested.has(endpoint.uid)
  return [{ name: 'endpoint', parameter, values: uids, holds }]
}

function usualQuery({ pageSize, dialect }: ServiceSettings): URLSearchParams {
  const { parameters, sort, direction } = dialect
  const query = new URLSearchParams({ [parameters.pageSize]: String(pageSize) })
  if (sort !== undefined) query.set(parameters.sort, sort)
  if (direction !== undefined) query.set(parameters.direction, direction)
  return query
}

/** Some items of a page at a time, or the reason why they cannot be read. */
type Groups = Iterable<
  { readonly ok: true; readonly items: readonly JsonObject[] } | { readonly ok: false; readonly reason: string }
>

interface PageExpectation {
  readonly projectUid: string
  /** Must never appear in a message. */
  readonly key: string
  readonly filters: readonly ListingFilter[]
  /** uids of the walk so far; the page's uids are added. */
  readonly seen: Set<string>
}

interface ItemFault {
  readonly kind: FaultKind
  readonly what: string
}

/**
 * Why a page proves nothing: an item is of another project, has no identity, was listed
 * before, or is outside the filter. A foreign item comes before all others: it proves whose key this is.
 */
function findPageFault(groups: Groups, expectation: PageExpectation): ItemFault | undefined {
  let first: ItemFault | undefined
  let from = 0
  for (const group of groups) {
    if (!group.ok) return first ?? { kind: 'malformed', what: group.reason }
    const fault = findForeign(group.items, from, expectation)
    if (fault !== undefined) return fault
    first ??= findBroken(group.items, from, expectation)
    from += group.items.length
  }
  return first
}

function findForeign(
  items: readonly JsonObject[],
  from: number,
  { projectUid, key }: PageExpectation,
): ItemFault | undefined {
  for (const [index, item] of items.entries()) {
    if (!isName(item.project_id) || item.project_id === projectUid) continue
    const owner = withoutCredentials(foreignText(item.project_id, key)).replace(/[()"]/g, '')
    const what = `item ${from + index + 1} belongs to another project, ${owner}: the key is not one for this project`
    return { kind: 'foreign', what }
  }
  return undefined
}

/** A number is not an identifier, even if it was kept as its text. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !isExactNumber(value)
}

function findBroken(
  items: readonly JsonObject[],
  from: number,
  { filters, seen }: PageExpectation,
): ItemFault | undefined {
  for (const [index, item] of items.entries()) {
    const what = whatBreaks(item, filters, seen)
    if (what !== undefined) return { kind: 'malformed', what: `item ${from + index + 1} ${what}` }
  }
  return undefined
}

function whatBreaks(item: JsonObject, filters: readonly ListingFilter[], seen: Set<string>): string | undefined {
  const { uid, project_id: projectId } = item
  if (!isName(projectId)) return `has ${badId('project_id', projectId)}`
  const broken = whatBreaksUid(uid, seen)
  if (broken !== undefined) return broken
  const missed = filters.find((filter) => !filter.holds(item))
  return missed && `does not match the ${missed.name} filter: the service ignored it`
}

/** The uids of a short walk stay in memory until its end; of a longer one, its digest. */
const longestKept = 64

function whatBreaksUid(uid: unknown, seen: Set<string>): string | undefined {
  if (!isName(uid) || !uid.isWellFormed()) return `has ${badId('uid', uid)}`
  if (uid.length > longestUid) return `has a uid of more than ${longestUid} characters`
  const mark = uid.length > longestKept ? hash('sha256', uid, 'base64') : uid
  if (seen.has(mark)) return 'was listed before in the same walk'
  seen.add(mark)
  return undefined
}

/**
 * Why a catalogue of event types proves nothing. Its items do not name their project, so they neither prove whose key
 * this is nor prove that it is another's.
 */
function findCatalogueFault(groups: Groups, { seen }: Pick<PageExpectation, 'seen'>): ItemFault | undefined {
  let from = 0
  for (const group of groups) {
    if (!group.ok) return { kind: 'malformed', what: group.reason }
    for (const [index, { uid }] of group.items.entries()) {
      const what = whatBreaksUid(uid, seen)
      if (what !== undefined) return { kind: 'malformed', what: `item ${from + index + 1} ${what}` }
    }
    from += group.items.length
  }
  return undefined
}
