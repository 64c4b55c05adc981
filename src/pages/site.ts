import { type Context, Hono } from 'hono'
import { compress } from 'hono/compress'
import { secureHeaders } from 'hono/secure-headers'
import { AuditError } from '../model/errors.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { html } from '../report/html/markup.ts'
import type { Api } from './api.ts'
import { apiRoutes } from './api-routes.ts'
import { browserScript } from './browser-script.ts'
import { answerFeed } from './feed.ts'
import { type Freshness, neverKept, watchFreshness } from './freshness.ts'
import { layOutNotice, layOutPage } from './layout.ts'
import { linksAt } from './link.ts'
import { NotFound, type SiteHistory, type SitePage, type SitePlan, type SiteRequest } from './page.ts'
import { pages } from './pages.ts'
import { readQuery } from './query.ts'
import { runAsOf } from './run-as-of.ts'
import { style } from './style.ts'

export interface SiteOptions {
  /** The history, opened once and kept; opened again when it was replaced. */
  history(): Promise<SiteHistory>
  readonly plan?: SitePlan
  /** Milliseconds since the epoch. */
  now(): number
  /** Of hookdrift. */
  readonly version: string
  /** Whether a Host header names this port. */
  isMeant(host: string | undefined): boolean
  /** The commands behind `/api/v1`. */
  readonly api: Api
  /** For the log: what readers of the pages do not get to see. */
  onFault(error: unknown): void
}

/** The site: every page, and what all of them share. It answers GET and HEAD, and changes nothing. */
export function createSite(options: SiteOptions): Hono {
  const site = new Hono()
  site.use(
    secureHeaders({
      contentSecurityPolicy: {
        ...{ defaultSrc: ["'none'"], styleSrc: ["'self'"], scriptSrc: ["'self'"], formAction: ["'self'"] },
        ...{ baseUri: ["'none'"], frameAncestors: ["'none'"] },
      },
      xFrameOptions: 'DENY',
      referrerPolicy: 'no-referrer',
      // The pages are often read through a plain port; what is in front of it decides.
      strictTransportSecurity: false,
    }),
  )
  site.use(async (context, next) => {
    if (!options.isMeant(context.req.header('host'))) {
      return context.text('not a name of this port: name it under serve.hosts\n', 421)
    }
    if (context.req.method !== 'GET' && context.req.method !== 'HEAD') {
      return context.text('only GET and HEAD\n', 405, { allow: 'GET, HEAD' })
    }
    return next()
  })
  site.use(compress())
  site.get('/healthz', (context) => context.text('alive\n'))
  site.get('/style.css', (context) => context.body(style, 200, { 'content-type': 'text/css; charset=utf-8' }))
  site.get('/script.js', (context) =>
    context.body(browserScript, 200, { 'content-type': 'text/javascript; charset=utf-8' }),
  )
  const freshness = watchFreshness(options)
  site.route('/api/v1', apiRoutes(options, freshness))
  site.get('/feed.atom', (context) => answerFeed(context, { ...options, freshness }))
  for (const page of pages) site.get(page.path, (context) => answerPage(page, context, { ...options, freshness }))
  site.notFound((context) => notice(context, 404, 'There is no such page'))
  site.onError((error, context) => answerError(error, context, options))
  return site
}

const noPlan: SitePlan = { configured: async () => undefined, pool: async () => undefined }

async function answerPage(
  page: SitePage,
  context: Context,
  { freshness, ...options }: SiteOptions & { readonly freshness: Freshness },
): Promise<Response> {
  // As it was asked for: hono's is decoded, and names may contain what is not a part of a path.
  const { pathname: path, searchParams } = new URL(context.req.url)
  const query = readQuery(searchParams, [...page.parameters, 'run'])
  const named = query.one('run')
  // What says how long ago things were is the same for a minute.
  const minute = page.isOfRun === 'past' && named === undefined ? String(Math.floor(options.now() / 60_000)) : ''
  if (page.isOfRun !== false && freshness.isKnownFresh(context, minute)) return context.body(null, 304)
  const history = await options.history()
  const now = options.now()
  const last = await history.lastRun()
  if (last === undefined) return noRun(context)
  if (page.isOfRun === false) neverKept(context)
  else if (freshness.isFresh(context, last, minute)) return context.body(null, 304)
  const run = await runAsOf(history, named, { now, last })
  const isLatest = named === undefined
  const link = linksAt(isLatest ? undefined : run.number)
  const request: SiteRequest = {
    ...{ history, run, isLatest, now, query, link, plan: options.plan ?? noPlan },
    params: context.req.param(),
  }
  const content = await page.show(request)
  return context.html(layOutPage(content, { path, run, isLatest, link, version: options.version }))
}

function noRun(context: Context): Response | Promise<Response> {
  neverKept(context)
  return context.html(
    layOutNotice(
      'No run yet',
      html`${emptyState('The history has no committed run: nothing was scanned.', 'unknown')}<p>Run <code>hookdrift audit</code>, then load this page again.</p>`,
    ),
  )
}

function answerError(error: Error, context: Context, options: SiteOptions): Response | Promise<Response> {
  if (error instanceof NotFound) return notice(context, 404, error.message)
  if (error instanceof AuditError && error.kind === 'usage') return notice(context, 400, error.message, error.advice)
  options.onFault(error)
  // What went wrong may name places that readers need not know.
  if (error instanceof AuditError) {
    return notice(context, 503, 'The history cannot be used', 'The log of hookdrift says why.')
  }
  return notice(context, 500, 'A bug in hookdrift', 'The log of hookdrift has the details.')
}

function notice(
  context: Context,
  status: 400 | 404 | 500 | 503,
  title: string,
  advice?: string,
): Response | Promise<Response> {
  neverKept(context)
  const more = advice === undefined ? html`` : html`<p>${advice}</p>`
  return context.html(layOutNotice(title, html`${more}<p><a href="/">To the overview</a></p>`), status)
}
