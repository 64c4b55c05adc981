import { Hono, type MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
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

/** What every answer demands of a browser: run and load nothing but our own, and stay out of frames. */
export function siteHeaders(): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      scriptSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    xFrameOptions: 'DENY',
    // Without a referrer, a browser would not say either that the login form is our own.
    referrerPolicy: 'same-origin',
    // The pages are often read through a plain port; what is in front of it decides.
    strictTransportSecurity: false,
  })
}
