import { type Context, Hono } from 'hono'
import type { HistoryAccess } from '../app/process-context.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { AuditError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import { neutralise, neutraliseJson } from '../text/neutralise.ts'
import { type Freshness, neverKept } from './freshness.ts'
import { NotAllowed, NotFound, type SiteHistory, type SiteScope } from './page.ts'
import { readQuery } from './query.ts'

interface ApiOptions {
  history(): Promise<SiteHistory>
  readonly api: Api
  readonly scope?: SiteScope
  onFault(error: unknown): void
}

/** What commands print, below `/api/v1`. */
export function apiRoutes({ history, api, scope, onFault }: ApiOptions, freshness: Freshness): Hono {
  const routes = new Hono()
  const description = async () => `${JSON.stringify(await api.describe(), null, 2)}\n`
  let openapi: string | undefined
  const refuseParameters = (context: Context) => void readQuery(new URL(context.req.url).searchParams, [])
  routes.get('/openapi.json', async (context) => {
    refuseParameters(context)
    openapi ??= await description()
    return sendJson(context, openapi)
  })
  routes.get('/', (context) => {
    refuseParameters(context)
    const commands = api.commands.map(({ name, description }) => ({ name, path: `/api/v1/${name}`, description }))
    return sendJson(context, writeJson({ openapi: '/api/v1/openapi.json', feed: '/feed.atom', commands }))
  })
  routes.get('/:command{.+}', async (context) => {
    const answer = await api.prepare(context.req.param('command'), new URL(context.req.url).searchParams)
    if (answer.isOfAllProjects && scope !== undefined) throw new NotAllowed()
    if (answer.isOfRun && freshness.isKnownFresh(context)) return context.body(null, 304)
    const opened = await history()
    const last = answer.isOfRun ? await findLastRun(opened) : undefined
    if (last === undefined) neverKept(context)
    else if (freshness.isFresh(context, last)) return context.body(null, 304)
    return sendJson(context, await answer.read({ history: opened, ...(scope && { isVisible: scope.isVisible }) }))
  })
  routes.onError((error, context) => {
    if (error instanceof NotFound) return sendError(context, 404, error.message)
    if (error instanceof NotAllowed) return sendError(context, 403, error.message)
    if (error instanceof AuditError && error.kind === 'usage') {
      return sendError(context, 400, error.message, error.advice)
    }
    onFault(error)
    // What went wrong may name places that readers need not know.
    if (!(error instanceof AuditError)) {
      return sendError(context, 500, 'a bug in hookdrift', 'the log of hookdrift has the details')
    }
    return sendError(context, 503, 'the history cannot be used', 'the log of hookdrift says why')
  })
  return routes
}

/** The commands that answer over HTTP. The command line makes it, which the pages must not import. */
export interface Api {
  readonly commands: readonly ApiEntry[]
  /**
   * Prepares the answer of a command to a query.
   * @throws NotFound when there is no such command; AuditError.usage when a parameter is wrong
   */
  prepare(command: string, search: URLSearchParams): Promise<PreparedAnswer>
  /** As OpenAPI 3.1. */
  describe(): Promise<JsonObject>
}

function sendError(context: Context, status: 400 | 403 | 404 | 500 | 503, message: string, advice?: string) {
  neverKept(context)
  const error = { message: neutralise(message), advice: advice === undefined ? null : neutralise(advice) }
  return sendJson(context, writeJson({ error }), status)
}

function writeJson(value: object): string {
  return `${neutraliseJson(JSON.stringify(value, null, 2))}\n`
}

function sendJson(context: Context, body: string, status: 200 | 400 | 403 | 404 | 500 | 503 = 200): Response {
  return context.body(body, status, { 'content-type': 'application/json' })
}

interface ApiEntry {
  readonly name: string
  readonly description: string
}

interface PreparedAnswer {
  /** Whether the answer is the same until the next run. */
  readonly isOfRun: boolean
  /** Whether only readers of all projects get it. */
  readonly isOfAllProjects: boolean
  /**
   * The JSON that the command prints.
   * @throws AuditError.usage when a value is wrong, or there is no such thing; AuditError.failure when it cannot be read
   */
  read(reading: HistoryAccess): Promise<string>
}
