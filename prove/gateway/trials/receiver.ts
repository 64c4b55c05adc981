import { createServer, type IncomingHttpHeaders } from 'node:http'

/** What an endpoint was sent. */
export interface ReceivedRequest {
  /** Below the folder of its project: `/0/path?query`. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Takes what the gateway sends to endpoints, by project. */
export class Receiver {
  readonly url: string
  readonly #server
  readonly #requests = new Map<string, ReceivedRequest[]>()
  readonly #statuses = new Map<string, number>()

  constructor(host: string, port: number) {
    this.url = `http://${host}:${port}`
    this.#server = createServer(async (request, response) => {
      const [, project = '', rest = ''] = /^\/([^/]*)(.*)$/.exec(request.url ?? '') ?? []
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const received = { path: rest, headers: request.headers, body: Buffer.concat(chunks).toString() }
      this.#requests.set(project, [...this.sentTo(project), received])
      response.writeHead(this.#statuses.get(project) ?? 200).end('{}')
    }).listen(port, host)
  }

  sentTo(project: string): readonly ReceivedRequest[] {
    return this.#requests.get(project) ?? []
  }

  /** From now on, answers what is sent to a project with this status. */
  answer(project: string, status: number): void {
    this.#statuses.set(project, status)
  }

  async [Symbol.asyncDispose]() {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }
}
