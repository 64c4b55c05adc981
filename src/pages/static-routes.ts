import { Hono } from 'hono'
import { assetText } from '../model/package-files.ts'
import { styleSheet } from '../report/html/render-page.ts'
import { entityTag, isHeld } from './freshness.ts'

/** What is the same for every reader, and needs none. */
export function staticRoutes(): Hono {
  const routes = new Hono()
  routes.get('/healthz', (context) => context.text('alive\n'))
  serveFile(routes, '/style.css', 'text/css', `${styleSheet}${assetText('pages/style.css')}`)
  for (const script of ['script.js', 'copy.js']) {
    serveFile(routes, `/${script}`, 'text/javascript', assetText(`pages/${script}`))
  }
  return routes
}

/** It is the same until the next release, which a browser asks for each time. */
function serveFile(routes: Hono, path: string, type: string, content: string): void {
  const tag = entityTag('', [content])
  routes.get(path, (context) =>
    isHeld(context, tag, 'public, no-cache')
      ? context.body(null, 304)
      : context.body(content, 200, { 'content-type': `${type}; charset=utf-8` }),
  )
}
