import { type Context, Hono } from 'hono'
import { mostBodyBytes, readBody } from '../../serving/stream-bytes.ts'
import { escapeUnseen } from '../../text/neutralise.ts'
import { isCrossSite } from '../access/refuse.ts'
import { forbidCaching } from '../freshness.ts'
import {
  answerMessage,
  handshakeRevisions,
  type McpServer,
  type RpcAnswer,
  RpcFault,
  type RpcRequest,
  revisions,
  rpcErrors,
} from './answer-message.ts'

/** The tools for assistants, over HTTP: each POST is a message and its answer. There is no session, and no stream. */
export function mcpRoutes(server: McpServer): Hono {
  const routes = new Hono()
  routes.post('/', async (context) => {
    forbidCaching(context)
    // A browser shows the answer to no other site, but the protocol asks for this.
    if (isCrossSite(context.req.raw)) return context.text('not for pages of other sites\n', 403)
    if (!isJson(context.req.header('content-type'))) {
      return context.text('expected application/json\n', 415)
    }
    const revision = context.req.header('mcp-protocol-version')
    if (revision !== undefined && ![...handshakeRevisions, ...revisions].includes(revision)) {
      const supported = [...revisions, ...handshakeRevisions]
      const message = 'this revision of the protocol is not supported'
      const error = { code: rpcErrors.version, message, data: { supported, requested: revision } }
      return send(context, { message: { jsonrpc: '2.0', id: null, error }, code: error.code })
    }
    const body = await readBody(context.req.raw)
    if (body === undefined) return context.text(`more than ${mostBodyBytes} bytes\n`, 413)
    const answer = await answerMessage(body.toString(), server, (request) => checkHeaders(request, context))
    return answer === undefined ? context.body(null, 202) : send(context, answer)
  })
  routes.all('/', (context) => context.text('only POST\n', 405, { allow: 'POST' }))
  return routes
}

/** From 2026-07-28 on, headers say again what the message says, for what lies between. */
function checkHeaders({ method, params, revision }: RpcRequest, { req }: Context): void {
  if (revision === undefined) return
  const expected: Readonly<Record<string, unknown>> = {
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(method === 'tools/call' ? { 'mcp-name': params.name } : {}),
  }
  for (const [name, value] of Object.entries(expected)) {
    if (decoded(req.header(name)) !== value) {
      throw new RpcFault(rpcErrors.headers, `the header ${name} does not say what the message says`)
    }
  }
}

/** A header holds other characters than those of ASCII in base64. */
function decoded(header: string | undefined): string | undefined {
  const [before, after] = ['=?base64?', '?=']
  if (!header?.startsWith(before) || !header.endsWith(after)) return header
  return Buffer.from(header.slice(before.length, -after.length), 'base64').toString()
}

function isJson(type = ''): boolean {
  return type.split(';')[0]?.trim().toLowerCase() === 'application/json'
}

function send(context: Context, { message, code, revision }: RpcAnswer): Response {
  return context.body(escapeUnseen(JSON.stringify(message)), statusOf(code, revision), {
    'content-type': 'application/json',
  })
}

/** Clients of a handshake take a 404 for the end of a session. */
function statusOf(code: number | undefined, revision: string | undefined): 200 | 400 | 404 {
  if (code === undefined || code === rpcErrors.params) return 200
  if (code !== rpcErrors.method) return 400
  return revision === undefined ? 200 : 404
}
