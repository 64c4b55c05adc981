import type { JsonObject } from '../../src/model/json.ts'
import { serve } from '../serve.ts'
import { type PagedList, pagedLists, type RecordedWorld } from './recorded-world.ts'

/** An answer as it is sent. */
export interface WireAnswer {
  readonly status: number
  readonly type: string
  readonly body: Buffer
}

/** The answer to a request for a listing: `page` counts from 0. Lists without pages have one. */
export interface WirePlace {
  readonly listing: PagedList | 'project' | 'event_types' | 'filters'
  readonly page: number
  /** The subscription, of filter rows. */
  readonly of: string
}

const pageSize = 2
const type = 'application/json'

/** What a healthy service answers. */
export function bodyOf({ listing, page, of }: WirePlace, world: RecordedWorld): JsonObject | undefined {
  const envelope = (data: JsonObject | readonly JsonObject[]): JsonObject => ({ status: true, message: 'ok', data })
  if (listing === 'project') return envelope(world.project)
  if (listing === 'event_types') return envelope(world.eventTypes)
  if (listing === 'filters') {
    const rows = world.filters.get(of)
    return rows && envelope(rows)
  }
  const items = world.lists[listing]
  const hasNext = (page + 1) * pageSize < items.length
  return envelope({
    content: items.slice(page * pageSize, (page + 1) * pageSize),
    pagination: {
      per_page: pageSize,
      has_next_page: hasNext,
      has_prev_page: page > 0,
      prev_page_cursor: '',
      next_page_cursor: hasNext ? cursorTo(page + 1) : '',
    },
  })
}

export function countPages(listing: PagedList, { lists }: RecordedWorld): number {
  return Math.max(1, Math.ceil(lists[listing].length / pageSize))
}

export function cursorTo(page: number): string {
  return `page-${page}`
}

/** Says what a place is in words. */
export function describePlace({ listing, page, of }: WirePlace): string {
  if (listing === 'filters') return `filters of ${of}`
  return pagedLists.some((name) => name === listing) ? `${listing}, page ${page + 1}` : listing
}

/** An answer that the service gave. */
export interface GivenAnswer {
  readonly place: WirePlace
  readonly answer: WireAnswer
}

/** Serves a world on loopback. `spoil`, where set, changes answers; all that were given are kept until `take`. */
export async function serveWorld(world: RecordedWorld) {
  let spoil: ((place: WirePlace, answer: WireAnswer) => WireAnswer) | undefined
  let given: GivenAnswer[] = []
  // The same bytes each time: most requests are for what is not spoilt.
  const whole = new Map<string, WireAnswer>()
  const server = await serve((request, response) => {
    const place = placeOf(request.url ?? '')
    const key = JSON.stringify(place)
    const known = whole.get(key) ?? healthy(place, world)
    whole.set(key, known)
    const answer = spoil?.(place, known) ?? known
    given.push({ place, answer })
    response.writeHead(answer.status, { 'content-type': answer.type, 'content-length': answer.body.length })
    response.end(answer.body)
  })
  return {
    url: server.url,
    spoilBy(change: typeof spoil) {
      spoil = change
    },
    /** The answers since the last call. */
    take(): readonly GivenAnswer[] {
      const taken = given
      given = []
      return taken
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function healthy(place: WirePlace, world: RecordedWorld): WireAnswer {
  const body = bodyOf(place, world)
  if (body === undefined)
    return { status: 404, type, body: Buffer.from('{"status":false,"message":"subscription not found"}') }
  return { status: 200, type, body: Buffer.from(JSON.stringify(body)) }
}

function placeOf(url: string): WirePlace {
  const { pathname, searchParams } = new URL(url, 'http://service')
  const [, , , , , list, of = '', rows] = pathname.split('/')
  if (rows === 'filters') return { listing: 'filters', page: 0, of: decodeURIComponent(of) }
  if (list === 'event-types') return { listing: 'event_types', page: 0, of: '' }
  const listing = pagedLists.find((name) => name === list)
  if (listing === undefined) return { listing: 'project', page: 0, of: '' }
  const cursor = /^page-(\d+)$/.exec(searchParams.get('next_page_cursor') ?? '')
  return { listing, page: Number(cursor?.[1] ?? 0), of: '' }
}
