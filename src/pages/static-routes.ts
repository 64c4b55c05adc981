import { Hono } from 'hono'
import { browserScript } from './browser-script.ts'
import { style } from './style.ts'

/** What is the same for every reader, and needs none. */
export function staticRoutes(): Hono {
  const routes = new Hono()
  routes.get('/healthz', (context) => context.text('alive\n'))
  routes.get('/style.css', (context) => context.body(style, 200, { 'content-type': 'text/css; charset=utf-8' }))
  routes.get('/script.js', (context) =>
    context.body(browserScript, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
  )
  return routes
}
