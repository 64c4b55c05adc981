import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openCliFixture } from '../cli/cli-fixture.ts'

/** A row of the gateway, as far as it matters; the rest is planted. */
export interface TrafficRow {
  readonly uid: string
  readonly project_id: string
  readonly created_at: string
  readonly [member: string]: unknown
}

/** What must never leave the reader of deliveries. */
export const planted = {
  header: 'ak_planted_in_the_headers_of_a_delivery',
  payload: 'planted-in-the-payload-4242-4242-4242',
  metadata: 'whsec_planted_in_the_metadata_of_an_event',
}

type Answer = { readonly status: number; readonly body: string }
/** Answers a list in place of the rows; undefined: the rows. */
export type Override = (list: 'eventdeliveries' | 'events', query: URLSearchParams) => Answer | undefined

/**
 * A simulated service behind a proxy that knows of deliveries and events: it lists its rows as the gateway does, and keeps
 * what it is asked.
 */
export async function openTraffic(options: Parameters<typeof openCliFixture>[0] = {}, more = '') {
  const cli = await openCliFixture({ projects: 1, endpointsPerProject: 3, ...options }, more)
  const deliveries: TrafficRow[] = []
  const events: TrafficRow[] = []
  const asked: { readonly method: string; readonly url: string }[] = []
  const state: { override: Override | undefined } = { override: undefined }
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    asked.push({ method, url })
    const { pathname, searchParams } = new URL(url, 'http://gateway')
    const [, list] = /\/projects\/[^/]+\/(eventdeliveries|events)$/.exec(pathname) ?? []
    const isList = method === 'GET' && (list === 'eventdeliveries' || list === 'events')
    const answer = isList
      ? (state.override?.(list, searchParams) ?? listed(list === 'events' ? events : deliveries, searchParams))
      : await forwarded(cli.service.url, request)
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  cli.configure((text) => text.replaceAll(cli.service.url, url))
  return {
    cli,
    url,
    deliveries,
    events,
    asked,
    state,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await cli[Symbol.asyncDispose]()
    },
  }
}

export type TrafficFixture = Awaited<ReturnType<typeof openTraffic>>

/** As the service pages: the cursor is the first row of the next page. */
function listed(rows: readonly TrafficRow[], query: URLSearchParams): Answer {
  const [start, end] = [query.get('startDate'), query.get('endDate')].map((text) => Date.parse(`${text}Z`))
  if (start === undefined || end === undefined || start > end)
    return { status: 400, body: envelope(false, 'startDate') }
  const endpoints = query.getAll('endpointId')
  const sources = query.getAll('sourceId')
  const named = ({ endpoint_id, endpoints: list }: TrafficRow) =>
    [endpoint_id, ...(Array.isArray(list) ? list : [])].some((uid) => endpoints.includes(String(uid)))
  const chosen = rows
    .filter(({ created_at }) => Date.parse(created_at) >= start && Date.parse(created_at) <= end)
    .filter((row) => endpoints.length === 0 || named(row))
    .filter((row) => sources.length === 0 || sources.includes(String(row.source_id)))
    .toSorted((a, b) => (a.uid < b.uid ? 1 : -1))
  const cursor = query.get('next_page_cursor')
  const from = cursor === null ? 0 : chosen.findIndex(({ uid }) => uid === cursor)
  const size = Number(query.get('perPage') ?? 20)
  const page = chosen.slice(from, from + size)
  const next = chosen[from + size]
  return pageOf(page, next?.uid)
}

export function pageOf(content: readonly unknown[], next: string | undefined): Answer {
  const pagination = { per_page: content.length, has_next_page: next !== undefined, next_page_cursor: next ?? '' }
  return { status: 200, body: envelope(true, 'fetched', { content, pagination }) }
}

function envelope(status: boolean, message: string, data?: object): string {
  return JSON.stringify({ status, message, ...(data && { data }) })
}

async function forwarded(base: string, request: IncomingMessage): Promise<Answer> {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    ['host', 'connection'].includes(name) || typeof value !== 'string' ? [] : [[name, value] as [string, string]],
  )
  const answer = await fetch(`${base}${request.url}`, { method: request.method ?? 'GET', headers })
  return { status: answer.status, body: await answer.text() }
}

/** Makes rows with rising ids. */
export function rowMaker({ cli, deliveries, events }: Pick<TrafficFixture, 'cli' | 'deliveries' | 'events'>) {
  let made = 0
  const id = (letter: string) => `01${letter}${String(++made).padStart(23, '0')}`
  const project = cli.fleet.projects()[0]?.uid ?? ''
  const at = (ms: number) => new Date(ms).toISOString()
  const channels = {
    named: { channel: 'default', createSubscription: 'true' },
    owner: { channel: 'default' },
    broadcast: { channel: 'broadcast' },
  }
  return {
    event(
      more: Partial<Record<string, unknown>> & { readonly channel?: keyof typeof channels; readonly ms?: number } = {},
    ) {
      const { channel = 'named', ms = Date.now(), ...members } = more
      const row = {
        uid: id('E'),
        project_id: project,
        event_type: 'order.paid',
        endpoints: [],
        is_duplicate_event: false,
        status: 'Success',
        headers: { 'X-Key': [planted.header] },
        data: { card: planted.payload },
        metadata: JSON.stringify({ ...channels[channel], dynamicPayload: planted.metadata }),
        created_at: at(ms),
        ...members,
      }
      events.push(row)
      return row.uid
    },
    delivery(
      endpoint: string,
      event: string,
      status: string,
      more: Record<string, unknown> & { readonly ms?: number } = {},
    ) {
      const { ms = Date.now(), ...members } = more
      const row = {
        uid: id('D'),
        project_id: project,
        event_id: event,
        endpoint_id: endpoint,
        subscription_id: 'sub',
        status,
        headers: { 'X-Api-Key': [planted.header] },
        metadata: { data: { card: planted.payload }, raw: planted.payload },
        created_at: at(ms),
        ...members,
      }
      deliveries.push(row)
      return row.uid
    },
  }
}
