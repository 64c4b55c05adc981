import { Agent, createServer, type IncomingMessage, request as requestOf } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** One try of a request and what came back, byte for byte; no status: the connection broke before or within the answer. */
export interface Recorded {
  readonly method: string
  readonly path: string
  readonly status: number | null
  readonly type: string | null
  readonly body: string
}

export interface RecordingProxy {
  readonly url: string
  /** What passed since it was last asked, with what was still under way. */
  take(): Promise<readonly Recorded[]>
  [Symbol.asyncDispose](): Promise<void>
}

/** Comes between an audit and a service, passes everything on unchanged, and records it. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  let recorded: Recorded[] = []
  const underway = new Set<Promise<void>>()
  const agent = new Agent({ keepAlive: true })

  const server = createServer((incoming, outgoing) => {
    const { promise: isRecorded, resolve } = Promise.withResolvers<void>()
    underway.add(isRecorded)
    const record = (exchange: Recorded) => {
      recorded.push(exchange)
      underway.delete(isRecorded)
      resolve()
    }
    const { method = 'GET', url: path = '/' } = incoming
    const onward = requestOf(new URL(path, target), { method, headers: incoming.headers, agent }, (answer) => {
      readWhole(answer).then(
        (body) => {
          const { statusCode: status = 0, headers } = answer
          record({ method, path, status, type: headers['content-type'] ?? null, body: body.toString() })
          outgoing.writeHead(status, { ...headers, connection: 'keep-alive' })
          outgoing.end(body)
        },
        () => broken(),
      )
    })
    const broken = () => {
      record({ method, path, status: null, type: null, body: '' })
      outgoing.socket?.resetAndDestroy()
    }
    onward.on('error', broken)
    incoming.pipe(onward)
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // as: it listens on a port, not on a pipe
  return {
    url: `http://127.0.0.1:${port}`,
    async take() {
      // What a client wrote before it gave up is read in the next turn.
      await nextTurn()
      await Promise.all(underway)
      const taken = recorded
      recorded = []
      return taken
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        agent.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readWhole(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return Buffer.concat(chunks)
}
