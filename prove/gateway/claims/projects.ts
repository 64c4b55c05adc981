import type { EndpointRow, ProjectConfigRow } from '../../../src/demo/rows.ts'
import type { Claim, Known } from '../claim.ts'

type Version = readonly [hash: string, encoding: string, uid?: string]

const signature = (versions: readonly Version[], header = 'X-Convoy-Signature'): Partial<ProjectConfigRow> => ({
  signature: {
    header,
    versions: versions.map(([hash, encoding, uid], index) => {
      return { uid: uid ?? `version-${index}`, hash, encoding, created_at: '2026-10-01T00:00:00Z' }
    }),
  },
})
const strategy = (type: string, duration: number, retry_count: number): Partial<ProjectConfigRow> => {
  return { strategy: { type, duration, retry_count } }
}
const advanced: Partial<EndpointRow> = { advanced_signatures: true }
const simple: Partial<EndpointRow> = { advanced_signatures: false }

const signs: readonly [Known, ...Known[]] = ['tried v26.3.6', 'read v26.7.3 pkg/signature/signature.go']
const retries: readonly [Known, ...Known[]] = ['tried v26.3.6', 'read v26.7.3 worker/task/process_event_delivery.go']
const delays: readonly [Known, ...Known[]] = ['read v26.7.3 retrystrategies/exponentialBackoff.go']
const disables: readonly [Known, ...Known[]] = retries
const reads: readonly [Known, ...Known[]] = ['tried v26.3.6', 'read v26.7.3 worker/task/task.go']
const dynamic: readonly [Known, ...Known[]] = ['read v26.7.3 worker/task/process_dynamic_event_creation.go']

const broken = ['project/signature-broken'] as const
const hash = (index: number) => `critical project/signature-broken -/config/signature/versions/version-${index}/hash`

/** Hashes that the API takes and that nothing computes. */
const uncomputed = 'MD5 SHA1 SHA224 SHA384 SHA3_224 SHA3_256 SHA3_384 SHA3_512 SHA512_224 SHA512_256'.split(' ')

/** What the gateway does with the settings of a project. */
export const claims: readonly Claim[] = [
  ...uncomputed.map((name): Claim => {
    return {
      given: `deliveries signed with ${name}, as a project asks for`,
      does: 'delivers nothing: deliveries stay in Processing without an attempt',
      known: signs,
      has: { config: signature([[name, 'hex']]) },
      asks: broken,
      says: [hash(0)],
    }
  }),
  ...(['SHA256 hex', 'SHA256 base64', 'SHA512 hex', 'SHA512 base64'] as const).map((name): Claim => {
    const [computed = '', encoding = ''] = name.split(' ')
    return {
      given: `deliveries signed with ${name}, as a project asks for`,
      does: 'signs and delivers',
      known: signs,
      has: { config: signature([[computed, encoding]]) },
      asks: broken,
      says: [],
    }
  }),
  {
    given: 'a hash in lower case',
    does: 'delivers nothing: the name is compared as it is',
    known: ['read v26.7.3 pkg/signature/signature.go'],
    has: { config: signature([['sha-256', 'hex']]) },
    asks: broken,
    says: [hash(0)],
  },
  {
    given: 'an encoding in another spelling',
    does: 'takes it on write, and delivers nothing',
    known: signs,
    has: { config: signature([['SHA256', 'Hex']]) },
    asks: broken,
    says: ['critical project/signature-broken -/config/signature/versions/version-0/encoding'],
  },
  {
    given: 'MD5 next to SHA256, for endpoints with advanced signatures',
    does: 'delivers nothing to them: every version signs',
    known: signs,
    has: {
      config: signature([
        ['MD5', 'hex'],
        ['SHA256', 'hex'],
      ]),
      endpoints: [advanced],
    },
    asks: broken,
    says: [hash(0)],
  },
  {
    given: 'MD5 before SHA256, for endpoints with simple signatures alone',
    does: 'delivers: the last version alone signs',
    known: signs,
    has: {
      config: signature([
        ['MD5', 'hex'],
        ['SHA256', 'hex'],
      ]),
      endpoints: [simple],
    },
    asks: broken,
    says: ['low project/signature-broken -/config/signature/versions/version-0/hash'],
  },
  {
    given: 'MD5 behind SHA256, for endpoints with simple signatures alone',
    does: 'delivers nothing: the last version alone signs',
    known: signs,
    has: {
      config: signature([
        ['SHA256', 'hex'],
        ['MD5', 'hex'],
      ]),
      endpoints: [simple],
    },
    asks: broken,
    says: [hash(1)],
  },
  {
    given: 'a signature header without a name',
    does: 'delivers nothing: header and signature are required',
    known: ['tried v26.3.6', 'read v26.7.3 net/dispatcher.go'],
    has: { config: signature([['SHA256', 'hex']], '') },
    asks: broken,
    says: ['critical project/signature-broken -/config/signature/header'],
  },
  {
    given: 'no signature version, and advanced signatures',
    does: 'delivers with a signature of the time alone',
    known: signs,
    has: { config: signature([]), endpoints: [advanced] },
    asks: broken,
    says: ['high project/signature-broken -/config/signature/versions'],
  },
  {
    given: 'no signature version, and simple signatures',
    does: 'delivers nothing',
    known: signs,
    has: { config: signature([]), endpoints: [simple] },
    asks: broken,
    says: ['critical project/signature-broken -/config/signature/versions'],
  },
  {
    given: 'another name of the signature header',
    does: 'sends the signature where no receiver expects it',
    known: signs,
    had: { config: signature([['SHA256', 'hex']]) },
    has: { config: signature([['SHA256', 'hex']], 'X-Acme-Signature') },
    asks: ['drift/signature-changed'],
    says: ['high drift/signature-changed -/config/signature/header'],
  },
  {
    given: 'two signature versions that changed places',
    does: 'names them by their place, and simple signatures use the other one',
    known: signs,
    had: {
      config: signature([
        ['SHA256', 'hex', 'a'],
        ['SHA512', 'hex', 'b'],
      ]),
    },
    has: {
      config: signature([
        ['SHA512', 'hex', 'b'],
        ['SHA256', 'hex', 'a'],
      ]),
    },
    asks: ['drift/signature-changed'],
    says: ['high drift/signature-changed -/config/signature/versions'],
  },
  {
    given: 'a signature version more at the end',
    does: 'signs with both, and simple signatures with the new one alone',
    known: signs,
    had: { config: signature([['SHA256', 'hex', 'a']]) },
    has: {
      config: signature([
        ['SHA256', 'hex', 'a'],
        ['SHA512', 'hex', 'b'],
      ]),
    },
    asks: ['drift/signature-changed'],
    says: ['medium drift/signature-changed -/config/signature/versions'],
  },
  {
    given: 'the encoding of signatures changed',
    does: 'signs in another form',
    known: signs,
    had: { config: signature([['SHA256', 'hex', 'a']]) },
    has: { config: signature([['SHA256', 'base64', 'a']]) },
    asks: ['drift/signature-changed', 'drift/project-weakened'],
    says: ['high drift/signature-changed -/config/signature/versions'],
  },
  {
    given: 'the same signature version under another uid',
    does: 'signs as before',
    known: signs,
    had: { config: signature([['SHA256', 'hex', 'a']]) },
    has: { config: signature([['SHA256', 'hex', 'b']]) },
    asks: ['drift/signature-changed'],
    says: [],
  },
  {
    given: 'a retry count of 1',
    does: 'tries once',
    known: retries,
    has: { config: { ...strategy('linear', 100, 1), disable_endpoint: false } },
    asks: ['project/retry-short'],
    says: ['medium project/retry-short -/config/strategy'],
  },
  {
    given: 'a retry count of 3',
    does: 'tries three times, which is two retries',
    known: retries,
    has: { config: strategy('exponential', 3600, 3) },
    asks: ['project/retry-short'],
    says: ['medium project/retry-short -/config/strategy'],
  },
  {
    given: 'a retry count of 4, an hour apart',
    does: 'retries three times within more than an hour',
    known: retries,
    has: { config: strategy('linear', 3600, 4) },
    asks: ['project/retry-short'],
    says: [],
  },
  {
    given: 'six doubling attempts from 60 s',
    does: 'gives up after 31 minutes',
    known: delays,
    has: { config: strategy('exponential', 60, 6) },
    asks: ['project/retry-short'],
    says: ['info project/retry-short -/config/strategy'],
  },
  {
    given: 'seven doubling attempts from 60 s',
    does: 'gives up after 63 minutes',
    known: delays,
    has: { config: strategy('exponential', 60, 7) },
    asks: ['project/retry-short'],
    says: [],
  },
  {
    given: 'the strategy that the gateway fills in',
    does: 'gives up after 15 minutes',
    known: retries,
    has: { config: strategy('linear', 100, 10) },
    asks: ['project/retry-short', 'project/retry-hammering'],
    says: ['info project/retry-short -/config/strategy'],
  },
  {
    given: '51 attempts, ten seconds apart',
    does: 'retries 50 times',
    known: retries,
    has: { config: strategy('linear', 10, 51) },
    asks: ['project/retry-hammering'],
    says: [],
  },
  {
    given: '52 attempts, ten seconds apart',
    does: 'retries 51 times',
    known: retries,
    has: { config: strategy('linear', 10, 52) },
    asks: ['project/retry-hammering'],
    says: ['medium project/retry-hammering -/config/strategy'],
  },
  {
    given: 'twelve doubling attempts from 60 s that become a hundred every ten minutes',
    does: 'goes on for longer: no delay is above two hours',
    known: delays,
    had: { config: strategy('exponential', 60, 12) },
    has: { config: strategy('linear', 600, 101) },
    asks: ['drift/project-weakened'],
    says: [],
  },
  {
    given: 'a long strategy that becomes a short one',
    does: 'gives up earlier',
    known: retries,
    had: { config: strategy('linear', 100, 10) },
    has: { config: strategy('linear', 10, 4) },
    asks: ['drift/project-weakened'],
    says: ['high drift/project-weakened -/config/strategy'],
  },
  {
    given: 'endpoints that are disabled, without a retry',
    does: 'disables an endpoint with its first delivery, even a successful one',
    known: disables,
    has: { config: { disable_endpoint: true, ...strategy('linear', 100, 1) } },
    asks: ['project/disable-hair-trigger'],
    says: ['high project/disable-hair-trigger -/config/disable_endpoint'],
  },
  {
    given: 'endpoints that are disabled, with the strategy that the gateway fills in',
    does: 'disables an endpoint after an outage of 15 minutes',
    known: disables,
    has: { config: { disable_endpoint: true, ...strategy('linear', 100, 10) } },
    asks: ['project/disable-hair-trigger'],
    says: ['medium project/disable-hair-trigger -/config/disable_endpoint'],
  },
  {
    given: 'endpoints that are never disabled',
    does: 'leaves failing endpoints active',
    known: disables,
    has: { config: { disable_endpoint: false, ...strategy('linear', 100, 1) } },
    asks: ['project/disable-hair-trigger'],
    says: [],
  },
  {
    given: 'protection against replays, and a rate limit of a project',
    does: 'stores both and acts on neither',
    known: reads,
    has: { config: { replay_attacks_prevention_enabled: true, ratelimit: { count: 1, duration: 60 } } },
    asks: ['project/settings-ignored'],
    says: [
      'info project/settings-ignored -/config/ratelimit',
      'info project/settings-ignored -/config/replay_attacks_prevention_enabled',
    ],
  },
  {
    given: 'protection against replays and a rate limit of a project that go',
    does: 'goes on as before',
    known: reads,
    had: { config: { replay_attacks_prevention_enabled: true, ratelimit: { count: 10, duration: 60 } } },
    has: { config: { replay_attacks_prevention_enabled: false, ratelimit: { count: 0, duration: 0 } } },
    asks: ['drift/project-weakened', 'drift/rate-limit-lost', 'project/settings-ignored'],
    says: [],
  },
  {
    given: 'retries, a rate limit and alerts of a subscription',
    does: 'stores them and acts on none',
    known: reads,
    has: {
      subscriptions: [
        {
          retry_config: { type: 'exponential', duration: 5, retry_count: 100 },
          rate_limit_config: { count: 1, duration: 60 },
          alert_config: { count: 1, threshold: '1m' },
        },
      ],
    },
    asks: ['subscription/settings-ignored'],
    says: [
      'info subscription/settings-ignored 0/alert_config',
      'info subscription/settings-ignored 0/rate_limit_config',
      'info subscription/settings-ignored 0/retry_config',
    ],
  },
  {
    given: 'the subscription that a dynamic event makes',
    does: 'writes retries, a rate limit and alerts by itself',
    known: ['tried v26.3.6', ...dynamic],
    has: {
      subscriptions: [
        {
          retry_config: { type: 'linear', duration: 10, retry_count: 3 },
          rate_limit_config: { count: 1000, duration: 60 },
          alert_config: { count: 4, threshold: '1h' },
        },
      ],
    },
    asks: ['subscription/settings-ignored'],
    says: [],
  },
  {
    given: 'dynamic events to any URL, next to a URL template',
    does: 'creates endpoints for URLs that match no template',
    known: dynamic,
    has: { config: { allow_unmatched_dynamic_urls: true }, endpoints: [{ url: 'https://{tenant}.hooks.dev/in' }] },
    asks: ['project/dynamic-urls-unmatched'],
    says: ['medium project/dynamic-urls-unmatched -/config/allow_unmatched_dynamic_urls'],
  },
  {
    given: 'dynamic events to any URL, without a URL template',
    does: 'creates endpoints for any URL, as with the setting off',
    known: ['tried v26.3.6', ...dynamic],
    has: { config: { allow_unmatched_dynamic_urls: true } },
    asks: ['project/dynamic-urls-unmatched'],
    says: [],
  },
  {
    given: 'meta events of a type other than http, to a plain http URL',
    does: 'posts them to that URL all the same',
    known: ['read v26.7.3 worker/task/process_meta_event.go'],
    has: {
      config: {
        meta_event: {
          is_enabled: true,
          type: 'pub_sub',
          event_type: ['endpoint.created'],
          url: 'http://meta.hooks.dev/in',
          secret: 'not-a-real-key-3f8a61c7e29b',
          pub_sub: null,
        },
      } as unknown as Partial<ProjectConfigRow>,
    },
    asks: ['project/meta-event-insecure'],
    says: ['high project/meta-event-insecure -/config/meta_event/url'],
  },
  {
    given: 'a rate limit of an endpoint that an update wiped',
    does: 'limits nothing from then on',
    known: ['tried v26.3.6'],
    had: { endpoints: [{ rate_limit: 100, rate_limit_duration: 60 }] },
    has: { endpoints: [{ rate_limit: 0, rate_limit_duration: 0 }] },
    asks: ['drift/rate-limit-lost'],
    says: ['medium drift/rate-limit-lost 0/rate_limit'],
  },
]
