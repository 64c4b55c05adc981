import { types } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'

export interface FunctionCall {
  readonly function: string
  /** JSON text. */
  readonly payload: string
  readonly limitMs: number
}

/** `value` is JSON text with sorted keys. `unserialisable`: it ran, but Go's encoder refused the result. */
export type TransformResult =
  | { readonly outcome: 'ok'; readonly value: string; readonly log: readonly string[] }
  | { readonly outcome: 'failed'; readonly message: string }
  | { readonly outcome: 'unserialisable'; readonly message: string }

// This file is a worker's: import only its types. route.ts starts it with a trial.
parentPort?.postMessage(runTransform(workerData as FunctionCall)) // as: worker data has no type

/** Runs `transform(payload)` of a source function, which may do anything to this thread. */
function runTransform({ function: source, payload, limitMs }: FunctionCall): TransformResult {
  const log: string[] = []
  const console = { log: (...parts: unknown[]) => log.push(parts.map(String).join(' ')) }
  const context = createContext({ console })
  try {
    runInContext(source, context, { timeout: limitMs })
  } catch (thrown) {
    return { outcome: 'failed', message: parseFailure(thrown, limitMs) }
  }
  if (runInContext('typeof transform', context) !== 'function') {
    return {
      outcome: 'failed',
      message: 'the transform function is not found, please define it or rename the existing function',
    }
  }
  let result: unknown
  try {
    result = runInContext(`transform(${payload})`, context, { timeout: limitMs })
  } catch (thrown) {
    return { outcome: 'failed', message: failure(thrown, limitMs) }
  }
  try {
    return { outcome: 'ok', value: encode(result, []), log }
  } catch (thrown) {
    return { outcome: 'unserialisable', message: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}

function parseFailure(thrown: unknown, limitMs: number): string {
  const { name, message } = described(thrown)
  return name === 'SyntaxError'
    ? `SyntaxError: SyntaxError: (anonymous): Line 1:1 ${message}`
    : failure(thrown, limitMs)
}

function failure(thrown: unknown, limitMs: number): string {
  const { name, message, code } = described(thrown)
  const where = 'at transform (<eval>:1:1(1))'
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return `script execution time elapsed ${limitMs / 1000} seconds ${where}`
  return `${name === '' ? '' : `${name}: `}${message} ${where}`
}

/** Errors of the context are of another realm: `instanceof` fails on them. */
function described(thrown: unknown): { name: string; message: string; code: unknown } {
  if (!types.isNativeError(thrown)) return { name: '', message: String(thrown), code: undefined }
  return { name: thrown.name, message: thrown.message, code: 'code' in thrown ? thrown.code : undefined }
}

/** JSON as Go writes the exported value: keys sorted, undefined as null, and Go's own words for refused values. */
function encode(value: unknown, above: readonly unknown[]): string {
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'function') throw new Error('json: unsupported type: func(goja.FunctionCall) goja.Value')
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Error(`json: unsupported value: ${goNumber(value)}`)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (types.isDate(value)) return JSON.stringify(value.toISOString().replace(/\.?0*Z$/, 'Z'))
  if (above.includes(value)) throw new Error('json: unsupported value: encountered a cycle via map[string]interface {}')
  const path = [...above, value]
  if (Array.isArray(value)) return `[${value.map((item) => encode(item, path)).join(',')}]`
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${encode(member, path)}`).join(',')}}`
}

function goNumber(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
