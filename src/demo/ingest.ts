import { createHash, createHmac } from 'node:crypto'
import { readsOf } from '../gateway/events.ts'
import { canonicalHeader } from '../gateway/filters.ts'
import { computesEncoding, computesHash } from '../gateway/signatures.ts'
import { isJsonObject, type Json, memberOf } from '../model/json.ts'
import { enveloped } from './answers.ts'
import type { SimulatedRelease } from './behaviour.ts'
import type { DeliveryWorker } from './deliver.ts'
import type { SimulatedAnswer } from './fault.ts'
import type { SimulatedFleet } from './fleet.ts'
import type { SourceRow, VerifierRow } from './rows.ts'

/** What a sender sends to a source. */
export interface SourceRequest {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly parameters: URLSearchParams
  readonly body: string
}

/** Takes an event for a source. The trap: a source that is switched off takes it too. Functions are left out. */
export function ingest(
  mask: string,
  request: SourceRequest,
  {
    fleet,
    worker,
    release,
    nowMs,
  }: { fleet: SimulatedFleet; worker: DeliveryWorker; release: SimulatedRelease; nowMs: number },
): SimulatedAnswer {
  const found = fleet.projects().flatMap(({ uid }) => {
    const source = fleet.open(uid).sources.find(({ mask_id }) => mask_id === mask)
    return source === undefined ? [] : { project: uid, source }
  })[0]
  if (found === undefined) return enveloped(release, 404, 'Resource not found')
  const { project, source } = found
  if (source.type !== 'http') return enveloped(release, 400, 'Source type needs to be HTTP')
  const key = keyOf(source, request)
  if (key === undefined) return enveloped(release, 400, 'Failed to process request')
  if (!isVerified(source.verifier, request)) return enveloped(release, 400, 'Request verification failed')
  const data = parse(request.body)
  if (data === undefined) return enveloped(release, 400, 'Invalid request format')
  const { isDuplicate } = worker.take(
    project,
    {
      event_type: mask,
      source: { uid: source.uid, name: source.name },
      endpoints: [],
      headers: Object.fromEntries(headersOf(request, mask)),
      idempotency_key: key,
      data,
      url_query_params: String(request.parameters),
      channel: 'default',
      createsSubscription: false,
    },
    nowMs,
  )
  const message = isDuplicate ? 'Duplicate event received, but will not be sent' : 'Event received'
  return enveloped(release, 200, message, Buffer.byteLength(request.body))
}

/** Go keeps `Host` apart; `Connection` is the simulated service's own. */
function headersOf({ headers }: SourceRequest, mask: string): [string, string[]][] {
  const sent = Object.entries(headers).filter(([name]) => name !== 'host' && name !== 'connection')
  const all = [
    ...sent.map(([name, value]): [string, string] => [canonicalHeader(name), value]),
    ['X-Convoy-Source-Id', mask],
  ]
  return all
    .sort(([one = ''], [other = '']) => (one < other ? -1 : 1))
    .map(([name = '', value = '']) => [name, [value]])
}

/** Of what the keys of idempotency read; undefined: the service cannot read one. Empty: there are none. */
function keyOf(
  { name, idempotency_keys: keys }: SourceRow,
  { headers, parameters, body }: SourceRequest,
): string | undefined {
  if (keys === null || keys.length === 0) return ''
  if (keys.some((key) => readsOf(key) === undefined)) return undefined
  const values = keys.map((key) => {
    const [, part = '', ...path] = key.split('.')
    if (/^header$/i.test(part)) return headers[path.join('.').toLowerCase()] ?? ''
    return /^body$/i.test(part) ? textAt(parse(body), path) : (parameters.get(path.join('.')) ?? '')
  })
  return createHash('sha256')
    .update([name, ...values].join(''))
    .digest('hex')
}

/** The verifiers of providers are left out: their sources verify as the type of their verifier says. */
function isVerified(verifier: VerifierRow | null, { headers, body }: SourceRequest): boolean {
  const {
    type,
    hmac,
    basic_auth: basic,
    api_key: key,
  } = verifier ?? { type: 'noop', hmac: null, basic_auth: null, api_key: null }
  if (type === 'hmac' && hmac !== null) {
    const { header, hash, secret, encoding } = hmac
    if (!computesHash(hash) || !computesEncoding(encoding)) return false
    const signature = createHmac(hash.toLowerCase(), secret)
      .update(body)
      .digest(encoding === 'hex' ? 'hex' : 'base64')
    return headers[header.toLowerCase()] === signature
  }
  if (type === 'basic_auth' && basic !== null) {
    const credentials = Buffer.from(`${basic.username}:${basic.password}`).toString('base64')
    return headers.authorization === `Basic ${credentials}`
  }
  if (type === 'api_key' && key !== null) return headers[key.header_name.toLowerCase()] === key.header_value
  return true
}

function parse(body: string): Json | undefined {
  try {
    return body === '' ? {} : JSON.parse(body)
  } catch {
    return undefined
  }
}

function textAt(data: Json | undefined, path: readonly string[]): string {
  let here = data
  for (const step of path) here = isJsonObject(here) ? memberOf(here, step) : undefined
  return here === undefined || here === null ? '' : typeof here === 'object' ? JSON.stringify(here) : String(here)
}
