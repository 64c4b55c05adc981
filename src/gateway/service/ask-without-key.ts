import type { DialectMatchers } from './dialect.ts'
import { exchangeOnce } from './exchange-once.ts'
import type { HttpOutcome } from './reply.ts'
import type { ServiceSettings } from './settings.ts'
import type { Transport } from './transport.ts'
import { basePath, uncoded } from './wire-request.ts'

interface KeylessExchange {
  readonly settings: ServiceSettings
  readonly matchers: DialectMatchers
  readonly transport: Transport
  readonly timeoutAfter: (ms: number) => AbortSignal
  readonly signal: AbortSignal
  readonly cut?: AbortSignal | undefined
}

/** A person, or a run that has not begun, waits for the answer. */
const limitMs = 10_000

/** Sends a GET once, without a key. `path`: below the base URL, outside the API. Never throws. */
export function askWithoutKey(path: string, { cut, ...exchange }: KeylessExchange): Promise<HttpOutcome> {
  const request = {
    method: 'GET',
    path: `${basePath(exchange.settings.url)}${path}`,
    headers: { ...uncoded, accept: 'application/json' },
    body: null,
  } as const
  return exchangeOnce(request, { ...exchange, cut, key: '', success: [200], limitMs })
}
