import type { MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'

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
