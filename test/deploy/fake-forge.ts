import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Comment {
  readonly id: number
  body: string
  readonly user?: { readonly type: string }
  readonly author?: { readonly id: number }
}

/**
 * The comments of one pull request as GitHub's API gives them, or the notes of one merge request as GitLab's does.
 * `refuses` answers every request with that status.
 */
export async function startForge({ refuses }: { readonly refuses?: number } = {}) {
  const comments: Comment[] = []
  const requests: string[] = []
  const tokens = new Set<string | undefined>()
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
    requests.push(`${method} ${pathname}`)
    tokens.add(headers.authorization ?? String(headers['private-token']))
    const written = await text(request)
    const answer = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    if (refuses !== undefined) return answer(refuses, { message: 'Resource not accessible by integration' })
    if (pathname === '/user') return answer(200, { id: 7 })
    const id = Number(pathname.split('/').at(-1))
    if (method === 'GET') {
      const page = Number(searchParams.get('page'))
      return answer(200, comments.slice((page - 1) * 100, page * 100))
    }
    const { body } = JSON.parse(written)
    if (method === 'POST') {
      comments.push({ id: 1000 + comments.length, body, user: { type: 'Bot' }, author: { id: 7 } })
      return answer(201, comments.at(-1))
    }
    const comment = comments.find((other) => other.id === id)
    if (comment === undefined) return answer(404, {})
    comment.body = body
    return answer(200, comment)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // as: it listens on a port, not on a pipe
  return {
    url: `http://127.0.0.1:${port}`,
    comments,
    requests,
    tokens,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
