import { type Context, Hono } from 'hono'
import type { HistoryAccess } from '../app/process-context.ts'
import { findLastRun } from '../history/sql/runs.ts'
import type { JsonObject } from '../model/json.ts'
import { neutralise, neutraliseJson } from '../model/text/neutralise.ts'
import { isCrossSite } from './access/refuse.ts'
import { forbidCaching, type IsFresh } from './freshness.ts'
import { faultForReaders, NotAllowed, type ReaderFault, type SiteHistory, type SiteScope } from './page.ts'
import { readQuery } from './query.ts'

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
  /** As tools for assistants. */
  tools(): Promise<readonly ApiTool[]>
}

export interface ApiEntry {
  readonly name: string
  readonly description: string
}

/** A command with JSON Schemas of its parameters, as members of one object, and of its answer. */
export interface ApiTool extends ApiEntry {
  readonly isOfAllProjects: boolean
  /** Whether it asks a service. */
  readonly asksService: boolean
  readonly input: JsonObject
  readonly output: JsonObject
}

export interface PreparedAnswer {
  /** Whether the answer is the same until the next run. */
  readonly isOfRun: boolean
  /** Whether only readers of all projects get it. */
  readonly isOfAllProjects: boolean
  /** Whether it asks a service. Default: no. */
  readonly asksService?: boolean
  /** Its media type; default: JSON. */
  readonly type?: string
  /**
   * What the command prints, as JSON or CSV.
   * @throws AuditError.usage when a value is wrong, or there is no such thing; AuditError.failure when it cannot be read
   */
  read(reading: HistoryAccess): Promise<string>
  /** The text that the command prints, where it has commands that the JSON does not. */
  readText?(reading: HistoryAccess): Promise<string>
}

interface ApiOptions {
  history(): Promise<SiteHistory>
  readonly api: Api
  readonly scope?: SiteScope
  onFault(error: unknown): void
}

/** What commands print, below `/api/v1`. */
export function apiRoutes({ history, api, scope, onFault }: ApiOptions, isFresh: IsFresh): Hono {
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
    // Without a form, any page of another site could have a service asked.
    if (answer.asksService && isCrossSite(context.req.raw)) throw new NotAllowed('This is not for pages of other sites')
    const opened = await history()
    const last = answer.isOfRun ? await findLastRun(opened) : undefined
    if (last === undefined) forbidCaching(context)
    else if (await isFresh(context, opened, last)) return context.body(null, 304)
    const body = await answer.read({ history: opened, ...scope })
    return context.body(body, 200, { 'content-type': answer.type ?? 'application/json' })
  })
  routes.onError((error, context) => {
    const { status, message, advice } = faultForReaders(error, onFault)
    return sendError(context, status, message, advice)
  })
  return routes
}

function sendError(context: Context, status: ReaderFault['status'], message: string, advice?: string) {
  forbidCaching(context)
  const error = { message: neutralise(message), advice: advice === undefined ? null : neutralise(advice) }
  return sendJson(context, writeJson({ error }), status)
}

function writeJson(value: object): string {
  return `${neutraliseJson(JSON.stringify(value, null, 2))}\n`
}

function sendJson(context: Context, body: string, status: 200 | ReaderFault['status'] = 200): Response {
  return context.body(body, status, { 'content-type': 'application/json' })
}
