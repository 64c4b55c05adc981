import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '../../src/model/json.ts'
import type { Planted } from './plant-items.ts'

export interface ServedProject extends Planted {
  readonly project: JsonObject
}

export interface Served {
  readonly url: string
  /** By uid; may change between runs. */
  readonly projects: Map<string, ServedProject>
  /** What is sent for a run of a function, and what is said where something is refused. */
  result: { readonly payload: JsonObject; readonly log: readonly string[] }
  refusal: string
  /** Bodies that came by POST: notifications. */
  readonly received: string[]
  close(): Promise<void>
}

const atOnce = 50

/** A service on loopback with the given items, page by page, and a receiver of notifications. */
/** What GitHub and Jira answer, in one: an issue, and lists without any. */
const ofTrackers = {
  number: 1,
  state: 'open',
  body: '',
  updated_at: '2026-11-21T03:00:00Z',
  labels: ['hookdrift'],
  key: 'OPS',
  fields: { status: { statusCategory: { key: 'new' } }, description: '', updated: '' },
  issues: [],
  comments: [],
  transitions: [],
}

export async function serve(): Promise<Served> {
  const projects: Served['projects'] = new Map()
  const received: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://a.example')
      const [status, body] = answer(request.method, url, Buffer.concat(chunks).toString())
      response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': served.refusal })
      response.end(JSON.stringify(body))
    })
  })

  const answer = (method: string | undefined, url: URL, body: string): readonly [number, unknown] => {
    const [, uid = '', listing] = /^\/api\/v1\/projects\/([^/]+)(?:\/(.+))?$/.exec(url.pathname) ?? []
    if (url.pathname.startsWith('/received')) {
      received.push(body)
      return [200, method === 'GET' && /\/(?:issues|comments)$/.test(url.pathname) ? [] : ofTrackers]
    }
    if (listing === 'sources/test_function') return [200, { status: true, message: '', data: served.result }]
    const project = projects.get(uid)
    if (project === undefined) return [422, { status: false, message: served.refusal }]
    if (listing === undefined) return [200, { status: true, message: '', data: project.project }]
    if (listing === 'event-types') return [200, { status: true, message: '', data: project.event_types }]
    const [, subscription] = /^subscriptions\/([^/]+)\/filters$/.exec(listing) ?? []
    if (subscription !== undefined)
      return [200, { status: true, message: '', data: project.filters[subscription] ?? [] }]
    const items =
      listing === 'endpoints' || listing === 'sources' || listing === 'subscriptions' ? project[listing] : []
    const from = Number(url.searchParams.get('next_page_cursor') ?? 0)
    const next = from + atOnce
    const pagination = { has_next_page: next < items.length, next_page_cursor: String(next), per_page: atOnce }
    return [200, { status: true, message: '', data: { content: items.slice(from, next), pagination } }]
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  const served: Served = {
    url: `http://127.0.0.1:${port}`,
    projects,
    result: { payload: {}, log: [] },
    refusal: 'none',
    received,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return served
}
