import { z } from 'zod'
import { activeSecrets, type Endpoint, oauthOf } from '../engine/attributes.ts'
import { fieldRule, least, most, resourceRule } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'
import { destinationOf, hostOf, reachOf, schemeOf } from '../shared/destination.ts'
import { alertContactInvalid } from './alert-contact-invalid.ts'
import { authMismatch } from './auth-mismatch.ts'
import { authShared } from './auth-shared.ts'
import { authWeak } from './auth-weak.ts'
import { failureRateHigh } from './failure-rate-high.ts'
import { mtlsBroken } from './mtls-broken.ts'
import { nameConvention } from './name-convention.ts'
import { oauthAlgorithmMismatch } from './oauth-algorithm-mismatch.ts'
import { oauthIncomplete } from './oauth-incomplete.ts'
import { oauthKeyExposed } from './oauth-key-exposed.ts'
import { oauthUrlPrivate } from './oauth-url-private.ts'
import { orphan } from './orphan.ts'
import { pausedLong } from './paused-long.ts'
import { secretExpiredActive } from './secret-expired-active.ts'
import { secretShared } from './secret-shared.ts'
import { secretStale } from './secret-stale.ts'
import { secretWeak } from './secret-weak.ts'
import { urlCredentials } from './url-credentials.ts'
import { urlDuplicate } from './url-duplicate.ts'
import { urlOddPort } from './url-odd-port.ts'
import { urlPrivateAddress } from './url-private-address.ts'
import { urlTemplate } from './url-template.ts'
import { urlTestHost } from './url-test-host.ts'

/** Rules about endpoints, which receive the events. Short ones are rows here, by id; the others have a file each. */
export const endpointRules: readonly Rule[] = [
  fieldRule('endpoint', {
    id: 'endpoint/alert-contact-missing',
    title: 'Endpoint has no alert contact',
    severity: 'info',
    packs: ['hygiene'],
    path: '/support_email',
    isWrong: ({ support_email: email, slack_webhook_url: slack, teams_webhook_url: teams }) =>
      isEmpty(email) && isEmpty(slack) && isEmpty(teams),
    says: 'no support e-mail address, Slack URL or Teams URL',
  }),
  resourceRule('endpoint', {
    id: 'endpoint/auth-over-http',
    title: 'Credentials are sent over plain http',
    severity: 'critical',
    packs: ['tls'],
    acceptedWith: ['/authentication'],
    check({ attributes }) {
      const credential = credentialOf(attributes)
      if (credential === undefined) return
      const destination = destinationOf(attributes.url ?? '')
      if (destination?.scheme === 'http:') {
        return { path: '/url', message: `sends ${credential} to ${destination.host} over plain http` }
      }
      return undefined
    },
  }),
  fieldRule('endpoint', {
    id: 'endpoint/form-encoded',
    title: 'Form encoding changes the payload and breaks its signature',
    severity: 'medium',
    packs: ['delivery', 'standard-webhooks'],
    path: '/content_type',
    isWrong: ({ content_type: type }) => type === 'application/x-www-form-urlencoded',
    says: 'sends forms: numbers lose their fractions, and the signature is not that of the body',
    fix: 'application/json',
  }),
  fieldRule('endpoint', {
    id: 'endpoint/inactive',
    title: 'Endpoint is inactive: its events are discarded',
    severity: 'high',
    packs: ['delivery'],
    path: '/status',
    isWrong: ({ status }) => status === 'inactive' || status === 'pending',
    says: ({ status }) =>
      `${status === 'pending' ? '`pending`, which is not active' : 'disabled after failures'}: its events are discarded, not queued`,
    fix: 'active',
  }),
  fieldRule('endpoint', {
    id: 'endpoint/oauth-url-http',
    title: 'Tokens are requested over plain http',
    severity: 'critical',
    packs: ['tls'],
    acceptedWith: ['/authentication/oauth2'],
    path: '/authentication/oauth2/url',
    isWrong: (attributes) => (schemeOf(oauthOf(attributes)?.url) ?? 'https:') !== 'https:',
    says(attributes) {
      const url = oauthOf(attributes)?.url
      return `sends client credentials to ${hostOf(url)} over ${schemeOf(url)?.slice(0, -1)} to request tokens`
    },
  }),
  fieldRule('endpoint', {
    id: 'endpoint/owner-missing',
    title: 'Endpoint has no owner',
    severity: 'low',
    packs: [],
    optIn: true,
    path: '/owner_id',
    isWrong: ({ owner_id: owner }) => isEmpty(owner),
    says: '`owner_id` is empty',
  }),
  fieldRule('endpoint', {
    id: 'endpoint/rate-limit-absent',
    title: 'Endpoint has no rate limit',
    severity: 'info',
    packs: ['delivery'],
    path: '/rate_limit',
    isWrong: ({ rate_limit: limit }) => isZero(limit),
    says: 'no rate limit: a burst of events is delivered as fast as the gateway can send it',
  }),
  fieldRule('endpoint', {
    id: 'endpoint/rate-limit-ineffective',
    title: 'Rate limit has no effect',
    severity: 'high',
    packs: ['delivery'],
    acceptedWith: ['/rate_limit'],
    path: '/rate_limit_duration',
    isWrong: ({ rate_limit: limit, rate_limit_duration: seconds }) =>
      typeof limit === 'number' && limit > 0 && seconds === 0,
    says: ({ rate_limit: limit }) => `rate limit of ${limit} per 0 s limits nothing`,
  }),
  least('endpoint', {
    id: 'endpoint/rate-limit-low',
    title: 'Rate limit is too low',
    severity: 'medium',
    packs: ['delivery'],
    acceptedWith: ['/rate_limit', '/rate_limit_duration'],
    path: '/rate_limit',
    of: perMinute,
    option: 'min_per_minute',
    limit: z.number().positive().default(1).describe('Deliveries per minute that the limit must allow'),
    says: (_, min, { rate_limit: limit, rate_limit_duration: seconds }) =>
      `rate limit is ${limit} per ${seconds} s (policy: at least ${min} per minute)`,
  }),
  resourceRule('endpoint', {
    id: 'endpoint/secret-missing',
    title: 'Endpoint has no active signing secret',
    severity: 'high',
    highest: 'critical',
    packs: ['secrets', 'standard-webhooks'],
    acceptedWith: ['/advanced_signatures'],
    check({ attributes }) {
      if (attributes.secrets === undefined || activeSecrets(attributes).length > 0) return
      const deleted = Object.keys(attributes.secrets ?? {}).length
      const none = `no active secret${deleted === 0 ? '' : ` (${deleted} deleted)`}`
      return attributes.advanced_signatures === false
        ? { path: '/secrets', message: `${none}: nothing is delivered`, severity: 'critical' }
        : { path: '/secrets', message: `${none}: deliveries are sent without a signature` }
    },
  }),
  most('endpoint', {
    id: 'endpoint/secret-too-many',
    title: 'Endpoint has too many active secrets',
    severity: 'low',
    packs: ['secrets'],
    path: '/secrets',
    of: (attributes) => activeSecrets(attributes).length,
    option: 'max_secrets',
    limit: z.int().positive().default(2).describe('Active secrets that an endpoint may have'),
    says: (secrets, max) => `${secrets} active secrets (policy: at most ${max})`,
  }),
  fieldRule('endpoint', {
    id: 'endpoint/signature-simple',
    title: 'Signature covers no timestamp: deliveries can be replayed',
    severity: 'medium',
    packs: ['standard-webhooks'],
    path: '/advanced_signatures',
    isWrong: ({ advanced_signatures: isAdvanced }) => isAdvanced === false,
    says: 'the signature covers no timestamp: a recorded delivery stays valid',
    fix: true,
  }),
  fieldRule('endpoint', {
    id: 'endpoint/status-unknown',
    title: 'Endpoint status is unknown',
    severity: 'low',
    packs: ['hygiene'],
    path: '/status',
    takesText: ['/status'],
    isWrong: ({ status }) => typeof status === 'string' && !knownStatuses.has(status),
    says: ({ status }) => `unknown status \`${status}\`: events may or may not be delivered`,
  }),
  most('endpoint', {
    id: 'endpoint/timeout-high',
    title: 'Delivery timeout is too long',
    severity: 'medium',
    packs: ['delivery'],
    licence: 'AdvancedEndpointMgmt',
    path: '/http_timeout',
    of: ({ http_timeout: seconds }) => seconds,
    option: 'max_seconds',
    limit: z.number().positive().default(60).describe('Longest timeout, in seconds'),
    says: (seconds, max) => `timeout is ${seconds} s (policy: at most ${max} s)`,
    fix: 'nearest',
  }),
  least('endpoint', {
    id: 'endpoint/timeout-low',
    title: 'Delivery timeout is too short',
    severity: 'low',
    packs: ['delivery'],
    licence: 'AdvancedEndpointMgmt',
    path: '/http_timeout',
    // 0 means the service's own default.
    of: ({ http_timeout: seconds }) => (typeof seconds === 'number' && seconds > 0 ? seconds : undefined),
    option: 'min_seconds',
    limit: z.number().positive().default(5).describe('Shortest timeout, in seconds'),
    says: (seconds, min) => `timeout is ${seconds} s (policy: at least ${min} s)`,
    fix: 'nearest',
  }),
  resourceRule('endpoint', {
    id: 'endpoint/url-invalid',
    title: 'URL is invalid',
    severity: 'high',
    packs: ['delivery'],
    takesText: ['/url'],
    check({ attributes: { url } }) {
      if (url === undefined) return
      const fault = faultOfUrl(url ?? '')
      if (fault !== undefined) return { path: '/url', message: fault }
      return undefined
    },
  }),
  fieldRule('endpoint', {
    id: 'endpoint/url-metadata-address',
    title: 'Endpoint URL points to a cloud metadata service',
    severity: 'critical',
    packs: ['ssrf'],
    path: '/url',
    isWrong({ url }) {
      const destination = destinationOf(url ?? '')
      return destination !== undefined && reachOf(destination) === 'metadata'
    },
    says: ({ url }) =>
      `${hostOf(url)} is a cloud metadata address: deliveries can expose the gateway's own credentials`,
  }),
  fieldRule('endpoint', {
    id: 'endpoint/url-not-https',
    title: 'Deliveries are not encrypted',
    severity: 'high',
    packs: ['tls', 'standard-webhooks'],
    path: '/url',
    isWrong: ({ url }) => schemeOf(url) === 'http:',
    says: ({ url, mtls_client_cert: mtls }) =>
      `delivers to ${hostOf(url)} over plain http${mtls?.client_cert === undefined ? '' : ', which presents no client certificate'}`,
  }),
  fieldRule('endpoint', {
    id: 'endpoint/url-raw-ip',
    title: 'Endpoint URL uses an IP address',
    severity: 'low',
    packs: ['hygiene'],
    path: '/url',
    isWrong({ url }) {
      const destination = destinationOf(url ?? '')
      return destination?.address !== undefined && reachOf(destination) === 'public'
    },
    says: ({ url }) => `${hostOf(url)} is an IP address, not a host name`,
  }),
  alertContactInvalid,
  authMismatch,
  authShared,
  authWeak,
  failureRateHigh,
  mtlsBroken,
  nameConvention,
  oauthAlgorithmMismatch,
  oauthIncomplete,
  oauthKeyExposed,
  oauthUrlPrivate,
  orphan,
  pausedLong,
  secretExpiredActive,
  secretShared,
  secretStale,
  secretWeak,
  urlCredentials,
  urlDuplicate,
  urlOddPort,
  urlPrivateAddress,
  urlTemplate,
  urlTestHost,
]

const knownStatuses: ReadonlySet<string> = new Set(['active', 'inactive', 'paused', 'pending'])

function isEmpty(text: string | null | undefined): boolean {
  return text === null || text === ''
}

function isZero(value: number | null | undefined): boolean {
  return value === 0 || value === null
}

/** Deliveries that its rate limit lets through; undefined where it limits nothing. */
function perMinute({ rate_limit: limit, rate_limit_duration: seconds }: Endpoint): number | undefined {
  if (typeof limit !== 'number' || typeof seconds !== 'number' || limit <= 0 || seconds <= 0) return undefined
  return (limit * 60) / seconds
}

function faultOfUrl(url: string): string | undefined {
  if (url === '') return 'the URL is empty'
  // The service encodes a blank within the path, and a URL with any other is never sent.
  if (/^\s|\s$|[^\S ]|^[^?#]*\?[^#]*\s|^[^/?#]*\/\/[^/?#]*\s/.test(url)) return 'the URL contains whitespace'
  if (/^[^/?#]*\/\/[^/?#]*[{}]/.test(url)) return 'the URL has a brace in its host, where no template may be'
  const destination = destinationOf(url)
  // `https:host` and `https:///host` are addresses to a browser, and none to most HTTP clients.
  if (destination === undefined || !/:\/\/[^/?#]/.test(url)) return 'the URL does not parse or has no host'
  const { scheme } = destination
  if (scheme !== 'https:' && scheme !== 'http:') return `the scheme is ${scheme.slice(0, -1)}, expected https`
  return undefined
}

/** What deliveries carry besides the payload, for people. */
function credentialOf({ authentication, url }: Endpoint): string | undefined {
  return (
    (authentication?.type === 'api_key' && authentication.api_key && 'an API key') ||
    (authentication?.type === 'basic_auth' && authentication.basic_auth && 'a user name and password') ||
    (authentication?.type === 'oauth2' && authentication.oauth2 && 'an access token') ||
    // Also where a type is set and nothing is filled in.
    (url?.includes('@') && destinationOf(url)?.hasUserinfo ? 'a user name and password' : undefined)
  )
}
