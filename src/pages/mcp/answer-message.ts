import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts'
import { neutralise } from '../../text/neutralise.ts'

/** What an assistant can ask. */
export interface McpTools {
  list(): Promise<readonly JsonObject[]>
  /** @throws RpcFault when there is no such tool; any other error is a result of the tool */
  call(name: string, given: JsonObject): Promise<JsonObject>
}

/** Who answers. */
export interface McpServer {
  readonly tools: McpTools
  readonly version: string
  readonly instructions: string
}

export const rpcErrors = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  headers: -32020,
  version: -32022,
} as const

/** An error of the protocol, in place of a result. */
export class RpcFault extends Error {
  override readonly name = 'RpcFault'
  readonly code: number
  readonly data: JsonObject | undefined

  constructor(code: number, message: string, data?: JsonObject) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** A request of JSON-RPC. */
export interface RpcRequest {
  readonly id: string | number
  readonly method: string
  readonly params: JsonObject
  /** The revision that it names itself, as all do from 2026-07-28 on; undefined after a handshake. */
  readonly revision: string | undefined
}

export interface RpcAnswer {
  readonly message: JsonObject
  readonly code?: number
  readonly revision?: string | undefined
}

/** Revisions with a handshake, the latest first. */
export const handshakeRevisions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
/** Revisions in which each request says all about itself. */
export const revisions: readonly string[] = ['2026-07-28']

const meta = 'io.modelcontextprotocol/'
/** A list of tools changes with the program only. */
const caching: JsonObject = { ttlMs: 60_000, cacheScope: 'private' }

/**
 * Answers a message of the Model Context Protocol. No message depends on an earlier one.
 * @param check throws an RpcFault where the request does not fit to what came with it
 * @returns undefined for a message that gets no answer
 */
export async function answerMessage(
  text: string,
  server: McpServer,
  check: (request: RpcRequest) => void = () => {},
): Promise<RpcAnswer | undefined> {
  let id: string | number | null = null
  let revision: string | undefined
  try {
    const message = readMessage(text)
    if ('id' in message && isId(message.id)) id = message.id
    const request = readRequest(message)
    if (request === undefined) return undefined
    revision = request.revision
    check(request)
    const result = revision === undefined ? await answerShaken(request, server) : await answerWhole(request, server)
    return { message: { jsonrpc: '2.0', id, result }, revision }
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error
    const { code, message, data } = error
    return { message: { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } }, code, revision }
  }
}

function readMessage(text: string): JsonObject {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    throw new RpcFault(rpcErrors.parse, 'not JSON')
  }
  if (Array.isArray(message))
    throw new RpcFault(rpcErrors.request, 'send messages one by one: batches are not answered')
  if (!isJsonObject(message)) throw new RpcFault(rpcErrors.request, 'a message is an object')
  return message
}

/** A number that no double holds exactly would come back as another one. */
function isId(id: Json | undefined): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id)
}

/** undefined: a notification or an answer, which get none. */
function readRequest({ jsonrpc, id, method, params = {}, ...more }: JsonObject): RpcRequest | undefined {
  if (jsonrpc !== '2.0') throw new RpcFault(rpcErrors.request, '`jsonrpc` is not "2.0"')
  if (method === undefined && ('result' in more || 'error' in more)) return undefined
  if (typeof method !== 'string') throw new RpcFault(rpcErrors.request, '`method` is not a text')
  if (id === undefined) return undefined
  if (!isId(id)) throw new RpcFault(rpcErrors.request, '`id` is neither a text nor a whole number below 2^53')
  if (!isJsonObject(params)) throw new RpcFault(rpcErrors.params, '`params` is not an object')
  return { id, method, params, revision: readRevision(params) }
}

function readRevision({ _meta = {} }: JsonObject): string | undefined {
  if (!isJsonObject(_meta)) throw new RpcFault(rpcErrors.params, '`_meta` is not an object')
  const named = _meta[`${meta}protocolVersion`]
  if (named === undefined) return undefined
  if (typeof named !== 'string') throw new RpcFault(rpcErrors.params, `\`${meta}protocolVersion\` is not a text`)
  if (!revisions.includes(named)) {
    const message = 'this revision of the protocol is not supported'
    throw new RpcFault(rpcErrors.version, message, { supported: [...revisions], requested: named })
  }
  if (!isJsonObject(_meta[`${meta}clientCapabilities`])) {
    throw new RpcFault(rpcErrors.params, `\`${meta}clientCapabilities\` is not an object`)
  }
  return named
}

/** After a handshake, or as one. */
async function answerShaken(request: RpcRequest, server: McpServer): Promise<JsonObject> {
  const { method, params } = request
  if (method === 'ping') return {}
  if (method !== 'initialize') return answerTools(request, server)
  const { protocolVersion } = params
  if (typeof protocolVersion !== 'string') throw new RpcFault(rpcErrors.params, '`protocolVersion` is not a text')
  return {
    protocolVersion: handshakeRevisions.find((each) => each === protocolVersion) ?? handshakeRevisions[0] ?? '',
    capabilities: { tools: {} },
    serverInfo: infoOf(server),
    instructions: server.instructions,
  }
}

/** Without one. */
async function answerWhole(request: RpcRequest, server: McpServer): Promise<JsonObject> {
  const stamp: JsonObject = { resultType: 'complete', _meta: { [`${meta}serverInfo`]: infoOf(server) } }
  if (request.method === 'server/discover') {
    const { instructions } = server
    return { ...stamp, ...caching, supportedVersions: [...revisions], capabilities: { tools: {} }, instructions }
  }
  const result = await answerTools(request, server)
  return { ...stamp, ...(request.method === 'tools/list' ? caching : {}), ...result }
}

async function answerTools({ method, params }: RpcRequest, { tools }: McpServer): Promise<JsonObject> {
  if (method === 'tools/list') {
    if (params.cursor !== undefined)
      throw new RpcFault(rpcErrors.params, 'all tools are on one page: leave `cursor` out')
    return { tools: [...(await tools.list())] }
  }
  if (method !== 'tools/call') throw new RpcFault(rpcErrors.method, `there is no method "${neutralise(method)}"`)
  const { name, arguments: given = {} } = params
  if (typeof name !== 'string') throw new RpcFault(rpcErrors.params, '`name` is not a text')
  if (!isJsonObject(given)) throw new RpcFault(rpcErrors.params, '`arguments` is not an object')
  return tools.call(name, given)
}

function infoOf({ version }: McpServer): JsonObject {
  return { name: 'hookdrift', title: 'hookdrift', version }
}
