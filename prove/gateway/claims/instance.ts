import type { Claim } from '../claim.ts'

const reads = [
  'read v25.6.3 worker/task/process_event_delivery.go',
  'read v26.3.6 worker/task/process_event_delivery.go',
  'read v26.7.3 worker/task/process_event_delivery.go',
] as const

/** What the worker applies only with a licence: these hold where the service is not known to lack it. */
export const claims: readonly Claim[] = [
  {
    given: 'an endpoint with a timeout of 120 s, and a licence for endpoint management',
    does: 'waits for 120 s; without that licence, for 10 s (tried on v26.3.6)',
    known: reads,
    has: { endpoints: [{ http_timeout: 120 }] },
    asks: ['endpoint/timeout-high', 'endpoint/timeout-low'],
    says: ['medium endpoint/timeout-high 0/http_timeout'],
  },
  {
    given: 'an endpoint with a timeout of 30 s',
    does: 'waits for 30 s; without a licence for endpoint management, for 10 s (tried on v26.3.6)',
    known: reads,
    has: { endpoints: [{ http_timeout: 30 }] },
    asks: ['endpoint/timeout-high', 'endpoint/timeout-low'],
    says: [],
  },
]
