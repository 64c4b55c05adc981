import type { Configuration } from '../claim.ts'
import { configure, deliveryIs, endpoint, event, request, type Step, shows, source, subscription } from './steps.ts'

/** What breaks a rule on a running gateway, and requests that fix it. */
export interface FixTrial {
  readonly rule: string
  readonly has: Configuration
  /** What breaks it, where the configuration alone does not. */
  readonly breaks?: readonly Step[]
  /** Options of the rule, as in a policy. */
  readonly options?: string
  /** Default: what `hookdrift restore UID --rule RULE` prints is sent. */
  readonly steps?: readonly Step[]
}

const linear = (duration: number, retry_count: number) => ({ strategy: { type: 'linear', duration, retry_count } })
const sound = { strategy: { type: 'exponential', duration: 30, retry_count: 10 } }
const signed = (hash: string) => ({
  signature: {
    header: 'X-Convoy-Signature',
    versions: [{ uid: '', hash, encoding: 'hex', created_at: '2026-10-01T00:00:00Z' }],
  },
})
const toSha256 = configure({
  signature: { header: 'X-Convoy-Signature', versions: [{ hash: 'SHA256', encoding: 'hex' }] },
})
const secret = 'not-a-real-key-6a3f0d1c9be27485'
const meta = { is_enabled: true, type: 'http', event_type: ['endpoint.created'], secret, pub_sub: null }
const pause = request('PUT', (project) => endpoint(project, '/pause'), 202)

export const fixes: readonly FixTrial[] = [
  { rule: 'project/disable-endpoint-off', has: { config: { disable_endpoint: false } } },
  { rule: 'project/replay-protection-off', has: { config: { replay_attacks_prevention_enabled: false } } },
  { rule: 'project/retry-few', has: { config: linear(1800, 2) } },
  { rule: 'project/retry-few', has: { config: linear(1800, 2) }, steps: [configure(sound)] },
  // The gateway shows year 1 where a version was written without a time.
  { rule: 'project/retry-few', has: { config: linear(1800, 2) }, breaks: [toSha256] },
  { rule: 'project/retry-hammering', has: { config: linear(1, 60) }, steps: [configure(sound)] },
  { rule: 'project/retry-short', has: { config: linear(10, 5) }, steps: [configure(sound)] },
  {
    rule: 'project/signature-missing',
    has: { config: { signature: { ...signed('').signature, versions: [] } } },
    steps: [toSha256],
  },
  { rule: 'project/signature-weak', has: { config: signed('MD5') }, steps: [toSha256] },
  { rule: 'project/signature-broken', has: { config: signed('MD5') }, steps: [toSha256] },
  {
    rule: 'project/rate-limit-ineffective',
    has: { config: { ratelimit: { count: 0, duration: 60 } } },
    steps: [configure({ ratelimit: { count: 100, duration: 60 } })],
  },
  // An update with an address over https is answered with 400 unless that address answers, and it needs a certificate.
  {
    rule: 'project/meta-event-insecure',
    has: { config: { meta_event: { ...meta, url: 'http://meta.example.com/' } } },
    steps: [configure({ meta_event: { ...meta, is_enabled: false, url: 'http://meta.example.com/' } })],
  },
  { rule: 'project/tls-not-enforced', has: { config: { ssl: { enforce_secure_endpoints: false } }, endpoints: [] } },
  {
    rule: 'project/disable-hair-trigger',
    has: { config: { ...linear(1, 1), disable_endpoint: true } },
    steps: [configure(sound)],
  },
  { rule: 'subscription/at-most-once', has: { subscriptions: [{ delivery_mode: 'at_most_once' }] } },
  {
    rule: 'subscription/retry-few',
    has: { subscriptions: [{ retry_config: { type: 'linear', duration: 600, retry_count: 2 } }] },
  },
  {
    rule: 'subscription/retry-many',
    has: { subscriptions: [{ retry_config: { type: 'linear', duration: 600, retry_count: 80 } }] },
  },
  {
    rule: 'subscription/retry-linear',
    has: { subscriptions: [{ retry_config: { type: 'linear', duration: 400, retry_count: 12 } }] },
    steps: [
      request('PUT', subscription, 202, {
        body: () => ({ retry_config: { type: 'exponential', duration: '60s', retry_count: 12 } }),
      }),
    ],
  },
  {
    rule: 'subscription/target-not-active',
    has: {},
    breaks: [pause],
    steps: [pause, shows(endpoint, '/status', 'active')],
  },
  { rule: 'endpoint/signature-simple', has: { endpoints: [{ advanced_signatures: false }] } },
  {
    rule: 'endpoint/inactive',
    has: { config: { ...linear(1, 1), disable_endpoint: true } },
    breaks: [event(), deliveryIs('Success'), shows(endpoint, '/status', 'inactive')],
    steps: [configure({ disable_endpoint: false }), shows(endpoint, '/status', 'active')],
  },
  {
    rule: 'endpoint/orphan',
    has: { subscriptions: [] },
    steps: [
      request('POST', () => '/subscriptions', 201, {
        body: ({ endpoints }) => ({ name: 'all', endpoint_id: endpoints[0] ?? '' }),
      }),
    ],
  },
  {
    rule: 'source/unverified',
    has: { type: 'incoming', sources: [{ verifier: null }], subscriptions: [] },
    steps: [
      request('POST', () => '/sources', 201, {
        body: () => ({
          name: 'anew',
          type: 'http',
          verifier: { type: 'hmac', hmac: { header: 'X-Signature', hash: 'SHA256', encoding: 'hex', secret } },
        }),
      }),
      request('DELETE', source, 200),
    ],
  },
]
