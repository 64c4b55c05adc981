import { type Context, Hono } from 'hono'
import { compress } from 'hono/compress'
import { refuseRequest } from '../app/serving/refuse-request.ts'
import { mostBodyBytes, readBody } from '../app/serving/stream-bytes.ts'
import { findLastRun, readMove } from '../history/sql/runs.ts'
import { AuditError } from '../model/errors.ts'
import { countsFromNow } from '../questions/query-parameters.ts'
import { emptyState } from '../report/html/components/parts.ts'
import { html, nothing } from '../report/html/markup.ts'
import { isCrossSite } from './access/refuse.ts'
import { type Api, apiRoutes } from './api.ts'
import { baselinesPage, differencesPage } from './baselines.ts'
import { comparePage } from './compare.ts'
import { compliancePage, frameworkPage } from './compliance.ts'
import { answerFeed } from './feed.ts'
import { runAsOf } from './find-runs.ts'
import { forbidCaching, type IsFresh, watchFreshness } from './freshness.ts'
import { answeringPage, impactPage, impactPath } from './impact.ts'
import { layOutNotice, layOutPage, type PageFrame } from './layout.ts'
import { linksAt, readSegments } from './link.ts'
import { instructions, toolsOf } from './mcp/assistant.ts'
import { mcpRoutes } from './mcp/mcp-routes.ts'
import { notificationsPage } from './notifications.ts'
import { overviewPage } from './overview.ts'
import { ownedEndpointsPage, ownerPage } from './owner.ts'
import {
  type AskedImpact,
  faultForReaders,
  NotAllowed,
  NotFound,
  noPlan,
  readerOf,
  type SiteHistory,
  type SitePage,
  type SitePlan,
  type SiteRequest,
  type SiteScope,
} from './page.ts'
import { projectPage } from './project.ts'
import { readQuery } from './query.ts'
import { causesPage, coveragePage, notesPage, trendPage } from './questions.ts'
import { resourcePage } from './resource.ts'
import { resourcesPage } from './resources.ts'
import { rulePage } from './rule.ts'
import { rulesPage } from './rules.ts'
import { runPage } from './run.ts'
import { runsPage } from './runs.ts'
import { showMoved } from './show-late.ts'
import { siteHeaders, staticRoutes } from './static-routes.ts'
import { violationPage } from './violation.ts'
import { violationsPage } from './violations.ts'
import { acceptancesPage, waiversPage } from './waivers.ts'
import { workerPage } from './worker.ts'

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
  site.use(refuseRequest({ ...options, forms: ['/mcp', impactPath] }))
  site.use(compress())
  site.route('/', staticRoutes())
  const isFresh = watchFreshness(options.version, (context) =>
    JSON.stringify([readerOf(context), options.scope?.projects]),
  )
  site.route('/api/v1', apiRoutes(options, isFresh))
  const describeFault = (error: unknown) => faultForReaders(error, options.onFault)
  site.route(
    '/mcp',
    mcpRoutes({ tools: toolsOf({ ...options, describeFault }), version: options.version, instructions }),
  )
  site.get('/feed.atom', (context) => answerFeed(context, { ...options, isFresh }))
  let isAsked = false
  site.post(impactPath, async (context) => {
    if (isCrossSite(context.req.raw)) throw new NotAllowed('This form was sent by a page of another site')
    if (!mayAsk(context, options)) throw new NotAllowed('This takes a key of the gateway: use the command')
    const body = await readBody(context.req.raw)
    if (body === undefined) throw new NotAllowed(`The form has more than ${mostBodyBytes} bytes`)
    // One at a time: each may read thousands of rows.
    if (isAsked) return notice(context, options, busy)
    isAsked = true
    try {
      const form = readQuery(new URLSearchParams(body.toString()), impactPage.parameters)
      return await answerPage(answeringPage(form), context, { ...options, isFresh })
    } finally {
      isAsked = false
    }
  })
  for (const page of pages) site.get(page.path, (context) => answerPage(page, context, { ...options, isFresh }))
  site.notFound((context) => notice(context, options, { status: 404, title: 'There is no such page' }))
  site.onError((error, context) => answerError(error, context, options))
  return site
}

const busy = {
  status: 503,
  title: 'The gateway is being asked already',
  advice: 'Try again when that answer is there.',
} as const

/** Whether a reader may have a gateway asked: where none is named, it is a person of this machine. */
function mayAsk(context: Context, { plan, scope }: SiteOptions): boolean {
  return plan?.askImpact !== undefined && scope === undefined && readerOf(context).viewer.name === undefined
}

async function answerPage(
  page: SitePage,
  context: Context,
  { isFresh, ...options }: SiteOptions & { readonly isFresh: IsFresh },
): Promise<Response> {
  if (page.isOfAllProjects && options.scope !== undefined) throw new NotAllowed()
  const { searchParams } = new URL(context.req.url)
  const query = readQuery(searchParams, [...page.parameters, 'run'])
  const named = query.one('run')
  // What says how long ago things were is the same for a minute.
  const minute = page.isOfRun === 'past' && named === undefined ? String(Math.floor(options.now() / 60_000)) : ''
  const isKept = page.isOfRun !== false && !countsFromNow(searchParams)
  const history = await options.history()
  const now = options.now()
  const last = await findLastRun(history)
  if (last === undefined) return noRun(context, options)
  if (!isKept) forbidCaching(context)
  else if (await isFresh(context, history, last, minute)) return context.body(null, 304)
  const run = await runAsOf(history, named, { now, last })
  const isLatest = named === undefined
  const link = linksAt(isLatest ? undefined : run.number)
  const { plan = noPlan } = options
  const { askImpact } = plan
  const request: SiteRequest = {
    history,
    run,
    isLatest,
    now,
    query,
    link,
    plan,
    params: readSegments(context.req.param()),
    ...(askImpact !== undefined &&
      mayAsk(context, options) && {
        askImpact: (asked: AskedImpact) => askImpact(history, asked, now),
      }),
  }
  const shown = await page.show(request)
  const content = { ...shown, alarm: html`${showMoved(await readMove(history))}${shown.alarm ?? nothing}` }
  const frame = frameOf(context, options)
  return context.html(layOutPage(content, { ...frame, search: searchParams, run, last, isLatest, link }))
}

function frameOf(context: Context, { version, scope }: SiteOptions): PageFrame {
  const hidden = scope === undefined ? [] : pages.filter((each) => each.isOfAllProjects).map(({ path }) => path)
  // As it was asked for: hono's is decoded, and names may contain what is not a part of a path.
  return { path: new URL(context.req.url).pathname, version, hidden, hasSession: readerOf(context).hasSession }
}

function noRun(context: Context, options: SiteOptions): Response | Promise<Response> {
  forbidCaching(context)
  return context.html(
    layOutNotice(
      'No run yet',
      html`${emptyState('The history has no committed run: nothing was scanned.', 'unknown')}<p>Run <code>hookdrift audit</code>, then load this page again.</p>`,
      frameOf(context, options),
    ),
  )
}

function answerError(error: Error, context: Context, options: SiteOptions): Response | Promise<Response> {
  const { message: title } = error
  if (error instanceof NotFound) return notice(context, options, { status: 404, title })
  if (error instanceof NotAllowed) return notice(context, options, { status: 403, title })
  if (error instanceof AuditError && error.kind === 'usage') {
    return notice(context, options, { status: 400, title, advice: error.advice })
  }
  options.onFault(error)
  // What went wrong may name files and hosts that readers need not know.
  const hidden =
    error instanceof AuditError
      ? ({ status: 503, title: 'The history cannot be used', advice: 'The log of hookdrift says why.' } as const)
      : ({ status: 500, title: 'A bug in hookdrift', advice: 'The log of hookdrift has the details.' } as const)
  return notice(context, options, hidden)
}

interface Notice {
  readonly status: 400 | 403 | 404 | 500 | 503
  readonly title: string
  readonly advice?: string | undefined
}

function notice(
  context: Context,
  options: SiteOptions,
  { status, title, advice }: Notice,
): Response | Promise<Response> {
  forbidCaching(context)
  const more = advice !== undefined && html`<p>${advice}</p>`
  const body = html`${more}<p><a href="/">To the overview</a></p>`
  return context.html(layOutNotice(title, body, frameOf(context, options)), status)
}

/** All pages, the first whose path fits answers. */
export const pages: readonly SitePage[] = [
  overviewPage,
  violationsPage,
  violationPage,
  resourcesPage,
  resourcePage,
  projectPage,
  ownerPage,
  ownedEndpointsPage,
  runsPage,
  runPage,
  comparePage,
  baselinesPage,
  differencesPage,
  rulesPage,
  rulePage,
  compliancePage,
  frameworkPage,
  waiversPage,
  acceptancesPage,
  causesPage,
  coveragePage,
  notesPage,
  impactPage,
  trendPage,
  notificationsPage,
  workerPage,
]
