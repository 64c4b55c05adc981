import { parentPort } from 'node:worker_threads'
import { answerRequests } from '../../src/app/serving/answer-in-thread.ts'

/** Answers with what it was asked; at `/crash` its thread ends, and at `/never` no answer comes. */
if (parentPort !== null) {
  answerRequests(parentPort, async (request, peer) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/crash') process.exit(1)
    if (pathname === '/never') return new Promise(() => {})
    if (pathname === '/kept') return new Response(null, { status: 304, headers: { etag: '"1"' } })
    const headers = new Headers({ 'x-peer': peer ?? '', 'x-host': request.headers.get('host') ?? '' })
    headers.append('set-cookie', 'a=1')
    headers.append('set-cookie', 'b=2')
    return new Response(`${request.method} ${pathname} ${await request.text()}`, { status: 201, headers })
  })
}
