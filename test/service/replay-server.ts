import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'

/** One line of a recording. */
export interface RecordedExchange {
  readonly name: string
  readonly request: {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: unknown
  }
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  readonly note?: string
}

export interface ReplayServer {
  readonly url: string
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export function readExchanges(jsonLines: string): RecordedExchange[] {
  return jsonLines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/**
 * Answers a recorded request with its recorded answer: same method, path, parameters in any order, body and key, as
 * sent. If recordings differ only in other headers, the one that shares most of them answers. Several answers to one
 * request come in the order of recording; the last one repeats.
 */
export async function startReplay(exchanges: readonly RecordedExchange[]): Promise<ReplayServer> {
  const next = new Map<string, number>()
  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => {
        const candidates = exchanges.filter(({ request: recorded }) => isSameQuestion(recorded, request, body))
        const best = closest(candidates, request)
        const first = best[0]
        if (first === undefined) {
          response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
          response.end(
            `not in the recording: ${request.method} ${request.url} with ${keyName(request.headers.authorization)}\n`,
          )
          return
        }
        const turn = next.get(groupOf(first)) ?? 0
        next.set(groupOf(first), turn + 1)
        const { response: recorded } = best[Math.min(turn, best.length - 1)] ?? first
        const sent = Buffer.from(recorded.body)
        response.writeHead(recorded.status, { ...recorded.headers, 'content-length': sent.length })
        response.end(sent)
      })
      .catch((thrown) => response.destroy(thrown instanceof Error ? thrown : undefined))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const { port } = server.address() as AddressInfo // as: it listens on a port, not on a pipe
  return { url: `http://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close }
}

/** Headers that change an answer, by their names on the wire. */
const distinguishing = ['x-convoy-version', 'content-type', 'accept', 'accept-encoding'] as const

function isSameQuestion(recorded: RecordedExchange['request'], request: IncomingMessage, body: unknown) {
  if (recorded.method !== request.method || placeOf(recorded.path) !== placeOf(request.url ?? '')) return false
  if (headerOf(recorded, 'authorization') !== request.headers.authorization) return false
  return isDeepStrictEqual(recorded.body, body)
}

/** The recordings of the one request that shares the most distinguishing headers. */
function closest(candidates: readonly RecordedExchange[], { headers }: IncomingMessage) {
  // No coding is what was recorded without the header.
  const sent: IncomingMessage['headers'] = {
    ...headers,
    'accept-encoding': headers['accept-encoding']?.replace('identity', '') || undefined,
  }
  const likeness = ({ request }: RecordedExchange) =>
    distinguishing.filter((name) => headerOf(request, name) === sent[name]).length
  const most = Math.max(...candidates.map(likeness))
  const [best] = candidates.filter((exchange) => likeness(exchange) === most)
  return best === undefined ? [] : candidates.filter((exchange) => groupOf(exchange) === groupOf(best))
}

function groupOf({ request }: RecordedExchange) {
  const headers = ['authorization', ...distinguishing].map((name) => headerOf(request, name) ?? null)
  return JSON.stringify([request.method, placeOf(request.path), headers, request.body ?? null])
}

function placeOf(path: string) {
  const { pathname, searchParams } = new URL(path, 'http://service')
  searchParams.sort()
  return `${pathname}?${searchParams}`
}

function headerOf({ headers }: RecordedExchange['request'], name: string) {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
}

/** No message names a key, not even in a test. */
function keyName(authorization: string | undefined) {
  return authorization === undefined ? 'no key' : 'this key'
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString())
}
