import { Hono } from 'hono'
import { mostBodyBytes, readBody } from '../../app/serving/stream-bytes.ts'
import { escapeUnseen } from '../../model/text/neutralise.ts'
import { isCrossSite } from '../access/refuse.ts'
import { forbidCaching } from '../freshness.ts'
import { type McpServer, openMcp } from './answer-message.ts'

/** The tools for assistants, over HTTP: each POST is a message and its answer. There is no session, and no stream. */
export function mcpRoutes(server: McpServer): Hono {
  const routes = new Hono()
  const answerMessage = openMcp(server)
  routes.post('/', async (context) => {
    forbidCaching(context)
    // A browser shows the answer to no other site, but the protocol asks for this.
    if (isCrossSite(context.req.raw)) return context.text('not for pages of other sites\n', 403)
    if (!isJson(context.req.header('content-type'))) {
      return context.text('expected application/json\n', 415)
    }
    const body = await readBody(context.req.raw)
    if (body === undefined) return context.text(`more than ${mostBodyBytes} bytes\n`, 413)
    const answer = await answerMessage(body.toString(), context.req.raw.headers)
    const text = escapeUnseen(await answer.text())
    return new Response(text === '' ? null : text, { status: answer.status, headers: answer.headers })
  })
  routes.all('/', (context) => context.text('only POST\n', 405, { allow: 'POST' }))
  return routes
}

function isJson(type = ''): boolean {
  return type.split(';')[0]?.trim().toLowerCase() === 'application/json'
}
