import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  ProtocolErrorCode,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts'

/** What an assistant can ask. */
export interface McpTools {
  list(): Promise<Tool[]>
  /** @throws ProtocolError when there is no such tool; any other error is a result of the tool */
  call(name: string, given: JsonObject): Promise<CallToolResult>
}

/** Who answers. */
export interface McpServer {
  readonly tools: McpTools
  readonly version: string
  readonly instructions: string
}

/**
 * Answers messages of the Model Context Protocol, of revisions with a handshake and without one, as JSON. No message
 * depends on an earlier one. `headers`: those of its request; of one on a pipe, they are what it says itself.
 */
export function openMcp({ tools, version, instructions }: McpServer) {
  const open = () => {
    const server = new Server(
      { name: 'hookdrift', title: 'hookdrift', version },
      { capabilities: { tools: {} }, instructions, cacheHints: { 'tools/list': { ttlMs: 60_000 } } },
    )
    server.setRequestHandler('tools/list', async () => ({ tools: await tools.list() }))
    // as: arguments are read from JSON.
    server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }) =>
      tools.call(name, given as JsonObject),
    )
    return server
  }
  // Of a subscription, an answer would never end.
  const handler = createMcpHandler(open, { legacy: 'reject', maxSubscriptions: 0 })
  return async (text: string, headers?: Headers): Promise<Response> => {
    const { message, fault } = readMessage(text)
    if (fault !== undefined) {
      const id = isJsonObject(message) && isId(message.id) ? message.id : null
      return Response.json({ jsonrpc: '2.0', id, error: fault }, { status: 400 })
    }
    const request = new Request('http://localhost/mcp', { method: 'POST', headers: headersOf(message, headers) })
    if (!(await isLegacyRequest(request, message))) return handler.fetch(request, { parsedBody: message })
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await open().connect(transport)
    return transport.handleRequest(request, { parsedBody: message })
  }
}

const revision = 'io.modelcontextprotocol/protocolVersion'

function headersOf({ method = '', params }: JsonObject, given?: Headers): Headers {
  const headers = new Headers({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' })
  const { name, _meta } = isJsonObject(params) ? params : {}
  const said = isJsonObject(_meta) ? _meta[revision] : undefined
  const own = said === undefined ? {} : { 'mcp-protocol-version': said, 'mcp-method': method, 'mcp-name': name }
  for (const header of ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const) {
    const value = given === undefined ? own[header] : given.get(header)
    if (typeof value !== 'string') continue
    const isPlain = given !== undefined || header !== 'mcp-name'
    headers.set(header, isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`)
  }
  return headers
}

type MessageFault = { readonly code: number; readonly message: string }

/** Finds what the SDK would answer with silence, with another id, or without a word about what is wrong. */
function readMessage(
  text: string,
):
  | { readonly message: JsonObject; readonly fault?: undefined }
  | { readonly message: Json; readonly fault: MessageFault } {
  let message: Json
  try {
    message = JSON.parse(text)
  } catch {
    return { message: null, fault: { code: ProtocolErrorCode.ParseError, message: 'not JSON' } }
  }
  const words = isJsonObject(message) ? wordsOn(message) : undefined
  if (isJsonObject(message) && words === undefined) return { message }
  const shape = Array.isArray(message) ? 'send messages one by one: batches are not answered' : 'a message is an object'
  return { message, fault: { code: ProtocolErrorCode.InvalidRequest, message: words ?? shape } }
}

function wordsOn({ jsonrpc, id, method, params = {}, ...more }: JsonObject): string | undefined {
  if (jsonrpc !== '2.0') return '`jsonrpc` is not "2.0"'
  if (method === undefined && ('result' in more || 'error' in more)) return undefined
  // It is a header too.
  if (typeof method !== 'string' || !/^[\w./$-]{1,200}$/.test(method)) return '`method` is not the name of one'
  if (id !== undefined && !isId(id)) return '`id` is neither a text nor a whole number below 2^53'
  if (!isJsonObject(params)) return '`params` is not an object'
  const { _meta = {}, cursor, protocolVersion } = params
  if (!isJsonObject(_meta)) return '`_meta` is not an object'
  const { [revision]: named = '' } = _meta
  if (typeof named !== 'string' || !/^[\w.-]{0,100}$/.test(named)) return `\`${revision}\` is not a revision`
  if (method === 'initialize' && typeof protocolVersion !== 'string') return '`protocolVersion` is not a text'
  return method === 'tools/list' && cursor !== undefined ? 'all tools are on one page: leave `cursor` out' : undefined
}

/** A number that no double holds exactly would come back as another one. */
function isId(id: Json | undefined): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id)
}
