import { Worker } from 'node:worker_threads'
import { isJsonObject, type Json } from '../model/json.ts'
import { programFile } from '../model/package-files.ts'
import type { FunctionCall, TransformResult } from './function-worker.ts'

/** `data` absent: the service omitted it. */
type TrialAnswer =
  | {
      readonly status: 200
      readonly message: string
      readonly data?: { readonly payload: Json; readonly log: readonly string[] }
    }
  | { readonly status: 400; readonly message: string }

interface TrialOptions {
  /** The limit of a function's run; the service's own is 10,000. */
  readonly limitMs: number
}

/** The test_function operation: decodes the request, runs the function, checks the result as the service does. */
export async function testFunction(body: string, { limitMs }: TrialOptions): Promise<TrialAnswer> {
  const request = readRequest(body)
  if (typeof request === 'string') return { status: 400, message: request }
  const result = await runInWorker({ function: request.function, payload: request.payload, limitMs })
  if (result.outcome === 'failed') return { status: 400, message: result.message }
  const message = 'Transformer function run successfully'
  const isBody = request.type === 'body'
  if (result.outcome === 'unserialisable')
    return isBody ? { status: 400, message: result.message } : { status: 200, message }
  const payload: Json = JSON.parse(result.value)
  const objection = isBody ? objectionTo(payload) : undefined
  if (objection !== undefined) return { status: 400, message: objection }
  return { status: 200, message, data: { payload, log: result.log } }
}

function readRequest(body: string): { function: string; payload: string; type: string } | string {
  if (body.trim() === '') return 'body must not be empty'
  let decoded: Json
  try {
    decoded = JSON.parse(body)
  } catch {
    return 'body contains badly-formed JSON'
  }
  if (!isJsonObject(decoded)) return `body contains incorrect JSON type (at character ${Buffer.byteLength(body)})`
  const { function: source = '', payload = null, type = '' } = decoded
  if (typeof source !== 'string') return wrongField('function')
  if (typeof type !== 'string') return wrongField('type')
  if (payload !== null && !isJsonObject(payload)) return wrongField('payload')
  return { function: source, payload: JSON.stringify(payload), type }
}

function wrongField(name: string): string {
  return `body contains incorrect JSON type for field "${name}"`
}

const fields: Readonly<Record<string, 'string' | 'object' | 'any'>> = {
  endpoint_id: 'string',
  owner_id: 'string',
  event_type: 'string',
  data: 'any',
  custom_headers: 'object',
  idempotency_key: 'string',
}

/** The service's complaint about the result of a function of type `body`; undefined if it has none. */
function objectionTo(payload: Json): string | undefined {
  if (payload !== null && !isJsonObject(payload)) {
    return `json: cannot unmarshal ${goKindOf(payload)} into Go value of type ${goStruct}`
  }
  for (const [key, value] of Object.entries(payload ?? {})) {
    const kind = fields[key]
    if (kind === undefined) return `json: unknown field "${key}"`
    if (kind !== 'any' && value !== null && goKindOf(value) !== kind) {
      const type = kind === 'string' ? 'string' : 'map[string]string'
      return `json: cannot unmarshal ${goKindOf(value)} into Go struct field .${key} of type ${type}`
    }
  }
  if (!payload?.event_type) return "the output payload doesn't include an event type"
  return 'data' in payload ? undefined : "the output payload doesn't include any data"
}

function goKindOf(value: Json): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

const goStruct =
  'struct { EndpointID string "json:\\"endpoint_id\\""; OwnerID string "json:\\"owner_id\\""; EventType string "json:\\"event_type\\""; ' +
  'Data json.RawMessage "json:\\"data\\""; CustomHeaders map[string]string "json:\\"custom_headers\\""; IdempotencyKey string "json:\\"idempotency_key\\"" }'

/** A function gets a thread of its own, so that an endless one does not block the service's other answers. */
function runInWorker(trial: FunctionCall): Promise<TransformResult> {
  const worker = new Worker(programFile('demo/function-worker'), { workerData: trial, env: {}, execArgv: [] })
  return new Promise<TransformResult>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  }).finally(() => worker.terminate())
}
