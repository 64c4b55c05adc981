import { type Context, Hono } from 'hono'
import { compress } from 'hono/compress'
import { findLastRun } from '../history/sql/runs.ts'
import { AuditError } from '../model/errors.ts'
import { emptyState } from '../report/html/components/empty-state.ts'
import { html } from '../report/html/markup.ts'
import { refuseRequest } from '../serving/refuse-request.ts'
import type { Api } from './api.ts'
import { apiRoutes } from './api-routes.ts'
import { faultForReaders } from './fault-for-readers.ts'
import { answerFeed } from './feed.ts'
import { runAsOf } from './find-runs.ts'
import { countsFromNow, type Freshness, neverKept, stateOf, watchFreshness } from './freshness.ts'
import { layOutNotice, layOutPage } from './layout.ts'
import { linksAt, readSegments } from './link.ts'
import { instructions, toolsOf } from './mcp/assistant.ts'
import { mcpRoutes } from './mcp/mcp-routes.ts'
import {
  NotAllowed,
  NotFound,
  type SiteHistory,
  type SitePage,
  type SitePlan,
  type SiteRequest,
  type SiteScope,
} from './page.ts'
import { pages } from './pages.ts'
import { readQuery } from './query.ts'
import { siteHeaders } from './site-headers.ts'
import { readerOf } from './site-reader.ts'
import { staticRoutes } from './static-routes.ts'

export interface SiteOptions {
  /** The history, opened once and kept; opened again when it was replaced. */
  history(): Promise<SiteHistory>
  readonly plan?: SitePlan
  /** Whom it is for; absent: readers of all projects. `history` and `plan` show no others. */
  readonly scope?: SiteScope
  /** Milliseconds since the epoch. */
  now(): number
  /** Of hookdrift. */
  readonly version: string
  /** Whether a Host header names this port. */
  isHostOfPort(host: string | undefined): boolean
  /** The commands behind `/api/v1`. */
  readonly api: Api
  /** For the log: what readers of the pages do not get to see. */
  onFault(error: unknown): void
}

/** The site: every page, and what all of them share. It answers GET and HEAD, and changes nothing. */
export function createSite(options: SiteOptions): Hono {
  const site = new Hono()
  site.use(siteHeaders())
  site.use(refuseRequest({ ...options, forms: ['/mcp'] }))
  site.use(compress())
  site.route('/', staticRoutes())
  const freshness = watchFreshness({
    ...options,
    viewerOf: (context) => JSON.stringify([readerOf(context), options.scope?.projects]),
  })
  site.route('/api/v1', apiRoutes(options, freshness))
  const describeFault = (error: unknown) => faultForReaders(error, options.onFault)
  site.route(
    '/mcp',
    mcpRoutes({ tools: toolsOf({ ...options, describeFault }), version: options.version, instructions }),
  )
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
  if (page.isOfAllProjects && options.scope !== undefined) throw new NotAllowed()
  // As it was asked for: hono's is decoded, and names may contain what is not a part of a path.
  const { pathname: path, searchParams } = new URL(context.req.url)
  const query = readQuery(searchParams, [...page.parameters, 'run'])
  const named = query.one('run')
  // What says how long ago things were is the same for a minute.
  const minute = page.isOfRun === 'past' && named === undefined ? String(Math.floor(options.now() / 60_000)) : ''
  const isKept = page.isOfRun !== false && !countsFromNow(searchParams)
  if (isKept && freshness.isKnownFresh(context, minute)) return context.body(null, 304)
  const history = await options.history()
  const now = options.now()
  const last = await findLastRun(history)
  if (last === undefined) return noRun(context)
  if (!isKept) neverKept(context)
  else if (freshness.isFresh(context, await stateOf(history, last), minute)) return context.body(null, 304)
  const run = await runAsOf(history, named, { now, last })
  const isLatest = named === undefined
  const link = linksAt(isLatest ? undefined : run.number)
  const request: SiteRequest = {
    history,
    run,
    isLatest,
    now,
    query,
    link,
    plan: options.plan ?? noPlan,
    params: readSegments(context.req.param()),
  }
  const content = await page.show(request)
  const { hasSession } = readerOf(context)
  return context.html(
    layOutPage(content, { path, search: searchParams, run, last, isLatest, link, hasSession, ...placeOf(options) }),
  )
}

/** What all pages of a site have in common. */
function placeOf({ version, scope }: SiteOptions): { version: string; hidden: readonly string[] } {
  return {
    version,
    hidden: scope === undefined ? [] : pages.filter((each) => each.isOfAllProjects).map(({ path }) => path),
  }
}

function noRun(context: Context): Response | Promise<Response> {
  neverKept(context)
  return context.html(
    layOutNotice(
      'No run yet',
      html`${emptyState('The history has no committed run: nothing was scanned.', 'unknown')}<p>Run <code>hookdrift audit</code>, then load this page again.</p>`,
      { isInside: true },
    ),
  )
}

function answerError(error: Error, context: Context, options: SiteOptions): Response | Promise<Response> {
  if (error instanceof NotFound) return notice(context, 404, error.message)
  if (error instanceof NotAllowed) return notice(context, 403, error.message)
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
  status: 400 | 403 | 404 | 500 | 503,
  title: string,
  advice?: string,
): Response | Promise<Response> {
  neverKept(context)
  const more = advice === undefined ? html`` : html`<p>${advice}</p>`
  const body = html`${more}<p><a href="/">To the overview</a></p>`
  return context.html(layOutNotice(title, body, { isInside: true }), status)
}
