import { type Context, Hono } from 'hono'
import { findLastRun } from '../history/sql/runs.ts'
import { neutralise, neutraliseJson } from '../text/neutralise.ts'
import type { Api } from './api.ts'
import { faultForReaders, type ReaderFault } from './fault-for-readers.ts'
import { type Freshness, forbidCaching, stateOf } from './freshness.ts'
import { NotAllowed, type SiteHistory, type SiteScope } from './page.ts'
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
    if (last === undefined) forbidCaching(context)
    else if (freshness.isFresh(context, await stateOf(opened, last))) return context.body(null, 304)
    return sendJson(context, await answer.read({ history: opened, ...(scope && { isVisible: scope.isVisible }) }))
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
