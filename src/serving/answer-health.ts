import { Hono } from 'hono'
import type { RequestHandler } from './listen.ts'
import { refuseRequest } from './refuse-request.ts'

const path = '/healthz'

/** Says that the process lives, however busy the pages are; they answer everything else. */
export function answerHealth(
  isHostOfPort: (host: string | undefined) => boolean,
  pages: RequestHandler,
): RequestHandler {
  const health = new Hono()
  health.use(refuseRequest({ isHostOfPort }))
  health.get(path, (context) =>
    context.text('alive\n', 200, { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }),
  )
  return (request, peer) => (new URL(request.url).pathname === path ? health.fetch(request) : pages(request, peer))
}
