import type { Json, JsonObject } from '../model/json.ts'
import { releases, type SimulatedRelease } from './behaviour.ts'
import type { SimulatedAnswer } from './fault.ts'
import type { SimulatedFleet } from './fleet.ts'
import { cutPage, cutRising, type PageQuery } from './page.ts'
import { renderEndpoint, renderEndpointOf2024, renderSource, renderSubscription } from './render.ts'
import type { EndpointRow, ProjectData, SourceRow, SubscriptionRow } from './rows.ts'

/** An envelope as every operation but the endpoint list writes it: with a line feed at the end. */
export function enveloped(release: SimulatedRelease, status: number, message: string, data?: Json): SimulatedAnswer {
  const envelope = { status: status < 400, message, ...(data !== undefined && { data }) }
  return answer(status, releases[release].contentType, `${goJson(envelope)}\n`)
}

function answer(status: number, contentType: string, body: string): SimulatedAnswer {
  return { status, headers: { 'content-type': contentType }, body: Buffer.from(body) }
}

/** A panic: the header says JSON, the body is empty. */
export function panicked(release: SimulatedRelease): SimulatedAnswer {
  return answer(500, releases[release].contentType, '')
}

export function notFound(): SimulatedAnswer {
  return answer(404, 'text/plain; charset=utf-8', '404 page not found\n')
}

/** Every unknown path belongs to the service's single-page application. */
export function dashboard(): SimulatedAnswer {
  return answer(
    200,
    'text/html; charset=utf-8',
    '<!DOCTYPE html><html lang="en"><head>\n\t\t<meta charset="utf-8">\n\t\t<title>Convoy</title>\n\t</head><body></body></html>',
  )
}

export function methodNotAllowed(): SimulatedAnswer {
  return answer(405, 'application/json', '')
}

/** 415 has neither a type nor a body. */
export function unsupportedType(): SimulatedAnswer {
  return { status: 415, headers: {}, body: Buffer.alloc(0) }
}

/** 429. `waitSeconds` from `nowMs`, as a number of seconds or as the time of its end, depending on the release. */
export function limited(
  release: SimulatedRelease,
  { limit, waitSeconds, nowMs }: { limit: number; waitSeconds: number; nowMs: number },
): SimulatedAnswer {
  const retryAfter = releases[release].retryAfter === 'seconds' ? waitSeconds : Math.ceil(nowMs / 1000) + waitSeconds
  const plain = enveloped(release, 429, 'exceeded rate limit')
  const headers = {
    ...plain.headers,
    'retry-after': `${retryAfter}`,
    'x-ratelimit-limit': `${limit}`,
    'x-ratelimit-remaining': '0',
  }
  return { ...plain, headers }
}

/** JSON as Go's encoder writes it: `<`, `>` and `&` escaped everywhere. */
function goJson(value: Json): string {
  return escapeMarkup(JSON.stringify(value))
}

function escapeMarkup(text: string): string {
  return markup.test(text)
    ? text.replace(everyMarkup, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text
}

const markup = /[<>&\u2028\u2029]/
const everyMarkup = new RegExp(markup, 'g')

export const lists = ['endpoints', 'subscriptions', 'sources'] as const
export type List = (typeof lists)[number]

export interface ListRequest {
  readonly fleet: SimulatedFleet
  readonly projectUid: string
  readonly list: List
  readonly page: PageQuery
  /** For the filters; every list ignores unknown ones. */
  readonly parameters: URLSearchParams
  readonly release: SimulatedRelease
  /** The names of an endpoint's members: today's, or those of version 2024-01-01. */
  readonly names: 'current' | '2024-numbers' | '2024-texts'
}

/** Answers with a page of a listing. */
export function answerList(request: ListRequest): SimulatedAnswer {
  const { list, page: query, release } = request
  // The service requests one row more: -1 becomes no rows, which it indexes; -2 becomes a negative number.
  if (query.perPage === -1) return panicked(release)
  if (query.perPage < -1) return unreadable(list, release)
  const { items, pagination, number } = pageOf(request)
  const body = `{"status":true,"message":"${titles[list]} fetched successfully","data":{"content":[${items.map(goJson).join(',')}],"pagination":${goJson(pagination)}}}`
  const isEndpoints = list === 'endpoints'
  const type = isEndpoints ? 'application/json' : releases[release].contentType
  return { ...answer(200, type, isEndpoints ? body : `${body}\n`), page: number }
}

/** A page of events or deliveries, of rows that are newest first. Here, ascending order works. */
export function answerPage<Row extends { readonly uid: string }>(
  rows: readonly Row[],
  render: (row: Row) => JsonObject,
  { message, query, release }: { message: string; query: PageQuery; release: SimulatedRelease },
): SimulatedAnswer {
  const { content, pagination: cut, number } = query.sort === 'ASC' ? cutRising(rows, query) : cutPage(rows, query)
  const pagination = { ...cut, has_prev_page: query.cursor !== '' && cut.has_prev_page }
  return { ...enveloped(release, 200, message, { content: content.map(render), pagination }), page: number }
}

/** The answer of a list that cannot be read while the rest of the service can. */
export function unreadable(list: List, release: SimulatedRelease): SimulatedAnswer {
  if (list === 'endpoints') return enveloped(release, 400, 'Failed to load endpoints')
  return enveloped(release, 500, `an error occurred while fetching ${list}`)
}

const titles = { endpoints: 'Endpoints', subscriptions: 'Subscriptions', sources: 'Sources' } as const satisfies Record<
  List,
  string
>

function pageOf({ fleet, projectUid, list, page: query, parameters, release, names }: ListRequest): {
  readonly items: readonly JsonObject[]
  readonly pagination: JsonObject
  readonly number: number
} {
  const data = fleet.open(projectUid)
  if (list === 'endpoints') {
    const { content, pagination, number } = cutPage(chosenEndpoints(data.endpoints, parameters), query)
    const durations = names === '2024-texts' ? 'texts' : 'numbers'
    const render = (row: EndpointRow) =>
      names === 'current' ? renderEndpoint(row, release) : renderEndpointOf2024(row, release, durations)
    return { items: content.map(render), pagination, number }
  }
  if (list === 'sources') {
    const { content, pagination, number } = cutPage(data.sources, query)
    return { items: content.map((row) => renderSource(row, release)), pagination, number }
  }
  const { content, pagination, number } = cutPage(chosenSubscriptions(data.subscriptions, parameters), query)
  const { endpoints, sources } = indexOf(data)
  const { ingestUrl } = fleet
  const items = content.map((row) => {
    const endpoint = endpoints.get(row.endpoint_id ?? '')
    return renderSubscription(row, { endpoint, source: sources.get(row.source_id ?? ''), ingestUrl }, release)
  })
  return { items, pagination, number }
}

function chosenEndpoints(rows: readonly EndpointRow[], parameters: URLSearchParams): readonly EndpointRow[] {
  const owner = parameters.get('ownerId') ?? ''
  const part = parameters.get('q') ?? ''
  if (owner === '' && part === '') return rows
  return rows.filter((row) => (owner === '' || row.owner_id === owner) && hasInName(row, part))
}

function chosenSubscriptions(
  rows: readonly SubscriptionRow[],
  parameters: URLSearchParams,
): readonly SubscriptionRow[] {
  const endpoints = new Set(parameters.getAll('endpointId').filter((uid) => uid !== ''))
  const part = parameters.get('name') ?? ''
  if (endpoints.size === 0 && part === '') return rows
  return rows.filter((row) => (endpoints.size === 0 || endpoints.has(row.endpoint_id ?? '')) && hasInName(row, part))
}

function hasInName({ name }: { readonly name: string }, part: string): boolean {
  return name.toLowerCase().includes(part.toLowerCase())
}

interface Index {
  readonly endpoints: ReadonlyMap<string, EndpointRow>
  readonly sources: ReadonlyMap<string, SourceRow>
}

const indexes = new WeakMap<ProjectData, Index>()

/** By uid; data is never edited in place, so an index stays valid as long as its data. */
function indexOf(data: ProjectData): Index {
  const known = indexes.get(data)
  if (known !== undefined) return known
  const byUid = <Row extends { readonly uid: string }>(rows: readonly Row[]) =>
    new Map(rows.map((row) => [row.uid, row]))
  const index = { endpoints: byUid(data.endpoints), sources: byUid(data.sources) }
  indexes.set(data, index)
  return index
}
