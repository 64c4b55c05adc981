import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

type Value = { readonly stringValue?: string; readonly intValue?: number; readonly doubleValue?: number }
type KeyValues = readonly { readonly key: string; readonly value: Value }[]

interface WireSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: KeyValues
  readonly status: { readonly code?: number; readonly message?: string }
}

export interface Span extends Omit<WireSpan, 'attributes' | 'startTimeUnixNano' | 'endTimeUnixNano'> {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly resource: Readonly<Record<string, unknown>>
  /** Nanoseconds since the epoch. */
  readonly startedAt: bigint
  readonly endedAt: bigint
}

interface Point {
  readonly attributes: KeyValues
  readonly asDouble?: number
  readonly asInt?: number
  readonly bucketCounts?: readonly (number | string)[]
  readonly explicitBounds?: readonly number[]
  readonly count?: number | string
  readonly sum?: number
}

interface Metric {
  readonly name: string
  readonly points: readonly (Omit<Point, 'attributes'> & { readonly attributes: Readonly<Record<string, unknown>> })[]
}

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // A decoded message of the protocol is taken as it comes.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any
}

/** A receiver of OTLP over HTTP with JSON. `answer`: default 200. */
export async function anOtlpReceiver(
  answer: (response: ServerResponse) => void = (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    json(request).then(
      (body) => {
        received.push({ path: request.url ?? '', headers: request.headers, body })
        answer(response)
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    spans: () => received.filter(({ path }) => path.endsWith('/v1/traces')).flatMap(({ body }) => spansIn(body)),
    /** Of the last export. */
    metrics: () => metricsIn(received.findLast(({ path }) => path.endsWith('/v1/metrics'))?.body),
  }
}

function spansIn(body: Received['body']): Span[] {
  return body.resourceSpans.flatMap(({ resource, scopeSpans }: Received['body']) =>
    scopeSpans.flatMap(({ spans }: { spans: readonly WireSpan[] }) =>
      spans.map(({ attributes, startTimeUnixNano, endTimeUnixNano, ...span }) => ({
        ...span,
        attributes: plain(attributes),
        resource: plain(resource.attributes),
        startedAt: BigInt(startTimeUnixNano),
        endedAt: BigInt(endTimeUnixNano),
      })),
    ),
  )
}

function metricsIn(body: Received['body']): Metric[] {
  return (body?.resourceMetrics ?? []).flatMap(({ scopeMetrics }: Received['body']) =>
    scopeMetrics.flatMap(({ metrics }: Received['body']) =>
      metrics.map(({ name, gauge, sum, histogram }: Received['body']) => ({
        name,
        points: (gauge ?? sum ?? histogram).dataPoints.map(({ attributes, ...point }: Point) => ({
          ...point,
          attributes: plain(attributes),
        })),
      })),
    ),
  )
}

function plain(attributes: KeyValues): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
