import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How it answers; undefined: never. */
type Answer = (
  received: Received,
) =>
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | undefined

/** An HTTP receiver on a port of its own. */
export async function openReceiver(answer: Answer = () => ({ status: 204 })) {
  const got: Received[] = []
  let answers = answer
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const received = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() }
      got.push(received)
      const said = answers(received)
      if (said !== undefined) response.writeHead(said.status, said.headers).end(said.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    got,
    answers: (next: Answer) => {
      answers = next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
