import { Hono } from 'hono'
import type { RequestHandler } from '../serving/listen.ts'
import { refuseRequest } from '../serving/refuse-request.ts'

/** What the port of a worker says of it. Anyone who can connect may read it. */
export interface WorkerEndpoints {
  /** Why the worker is not ready, in words; empty if it is ready. */
  readonly troubles: () => Promise<readonly string[]>
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>
}

interface PortOptions extends WorkerEndpoints {
  /** Whether a Host header names this port. */
  isHostOfPort(host: string | undefined): boolean
  /** What answers all other paths; they decide who may read. */
  readonly pages?: RequestHandler | undefined
}

/** The port of a worker: `/healthz`, `/readyz`, `/metrics`, and the pages where they are configured. */
export function workerPort({ troubles, metrics, isHostOfPort, pages }: PortOptions): RequestHandler {
  const app = new Hono()
  app.use(async (context, next) => {
    context.header('x-content-type-options', 'nosniff')
    context.header('cache-control', 'no-store')
    return next()
  })
  app.use(refuseRequest({ isHostOfPort }))
  app.get('/healthz', (context) => context.text('alive\n'))
  app.get('/readyz', async (context) => {
    const reasons = await troubles()
    return reasons.length === 0 ? context.text('ready\n') : context.text(`not ready\n${reasons.join('\n')}\n`, 503)
  })
  app.get('/metrics', async (context) => {
    const { type, text } = await metrics()
    return context.body(text, 200, { 'content-type': type })
  })
  app.notFound((context) => context.text('not found: /healthz, /readyz and /metrics are here\n', 404))
  // The log of the run that meets the same error has the details; strangers do not get them.
  app.onError((_, context) => context.text('internal error\n', 500))
  return (request, peer) =>
    pages === undefined || paths.includes(new URL(request.url).pathname) ? app.fetch(request) : pages(request, peer)
}

const paths = ['/healthz', '/readyz', '/metrics']
