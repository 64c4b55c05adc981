import { z } from 'zod'
import { activeSecrets, type Endpoint, oauthOf } from '../engine/attributes.ts'
import { fieldRule, least, most } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'
import { destinationOf, hostOf, reachOf, schemeOf } from '../shared/destination.ts'
import { alertContactInvalid } from './alert-contact-invalid.ts'
import { authMismatch } from './auth-mismatch.ts'
import { authOverHttp } from './auth-over-http.ts'
import { authShared } from './auth-shared.ts'
import { authWeak } from './auth-weak.ts'
import { failureRateHigh } from './failure-rate-high.ts'
import { mtlsExpired } from './mtls-expired.ts'
import { mtlsExpiring } from './mtls-expiring.ts'
import { mtlsIncomplete } from './mtls-incomplete.ts'
import { mtlsWeak } from './mtls-weak.ts'
import { nameConvention } from './name-convention.ts'
import { oauthAlgorithmMismatch } from './oauth-algorithm-mismatch.ts'
import { oauthIncomplete } from './oauth-incomplete.ts'
import { oauthKeyExposed } from './oauth-key-exposed.ts'
import { oauthUrlPrivate } from './oauth-url-private.ts'
import { orphan } from './orphan.ts'
import { pausedLong } from './paused-long.ts'
import { rateLimitIneffective } from './rate-limit-ineffective.ts'
import { secretAllExpired } from './secret-all-expired.ts'
import { secretExpiredActive } from './secret-expired-active.ts'
import { secretExpiring } from './secret-expiring.ts'
import { secretShared } from './secret-shared.ts'
import { secretStale } from './secret-stale.ts'
import { secretWeak } from './secret-weak.ts'
import { urlCredentials } from './url-credentials.ts'
import { urlDuplicate } from './url-duplicate.ts'
import { urlInvalid } from './url-invalid.ts'
import { urlOddPort } from './url-odd-port.ts'
import { urlPrivateAddress } from './url-private-address.ts'
import { urlTestHost } from './url-test-host.ts'

/** Rules about endpoints. Those about one field are rows here, in the order of ids; the others have a file each. */
export const endpointRules: readonly Rule[] = [
  fieldRule('endpoint', {
    id: 'endpoint/alert-contact-missing',
    title: 'No contact is notified when deliveries fail',
    severity: 'info',
    packs: ['hygiene'],
    path: '/support_email',
    isWrong: ({ support_email: email, slack_webhook_url: slack, teams_webhook_url: teams }) =>
      isEmpty(email) && isEmpty(slack) && isEmpty(teams),
    says: 'neither an e-mail address nor Slack nor Teams to alert',
  }),
  fieldRule('endpoint', {
    id: 'endpoint/inactive',
    title: 'Endpoint is inactive: its events are discarded',
    severity: 'high',
    packs: ['delivery'],
    path: '/status',
    isWrong: ({ status }) => status === 'inactive',
    says: 'disabled after failures: its events are discarded, not queued',
    fix: 'active',
  }),
  fieldRule('endpoint', {
    id: 'endpoint/mtls-over-http',
    title: 'Client certificate is never shown: the address is plain http',
    severity: 'medium',
    packs: ['tls'],
    acceptedWith: ['/mtls_client_cert'],
    path: '/url',
    isWrong: ({ mtls_client_cert: mtls, url }) => mtls !== null && mtls !== undefined && schemeOf(url) === 'http:',
    says: ({ url }) => `a client certificate for ${hostOf(url)}, and deliveries over plain http`,
  }),
  fieldRule('endpoint', {
    id: 'endpoint/oauth-url-http',
    title: 'Tokens are asked for in clear',
    severity: 'critical',
    packs: ['tls'],
    acceptedWith: ['/authentication/oauth2'],
    path: '/authentication/oauth2/url',
    isWrong: (attributes) => (schemeOf(oauthOf(attributes)?.url) ?? 'https:') !== 'https:',
    says(attributes) {
      const url = oauthOf(attributes)?.url
      return `asks ${hostOf(url)} for tokens over ${schemeOf(url)?.slice(0, -1)}, client credentials included`
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
    says: 'no owner',
  }),
  fieldRule('endpoint', {
    id: 'endpoint/rate-limit-absent',
    title: 'Endpoint has no rate limit',
    severity: 'info',
    packs: ['delivery'],
    path: '/rate_limit',
    isWrong: ({ rate_limit: limit, rate_limit_duration: seconds }) => isZero(limit) && isZero(seconds),
    says: 'no rate limit: a burst of events arrives as fast as it can be sent',
  }),
  least('endpoint', {
    id: 'endpoint/rate-limit-low',
    title: 'Rate limit is so low that events pile up',
    severity: 'medium',
    packs: ['delivery'],
    acceptedWith: ['/rate_limit', '/rate_limit_duration'],
    path: '/rate_limit',
    of: perMinute,
    option: 'min_per_minute',
    limit: z.number().positive().default(1).describe('Deliveries a minute that must be possible'),
    says: (_, min, { rate_limit: limit, rate_limit_duration: seconds }) =>
      `${limit} per ${seconds} s, the policy asks for ${min} a minute`,
  }),
  fieldRule('endpoint', {
    id: 'endpoint/secret-missing',
    title: 'Endpoint has no active signing secret',
    severity: 'high',
    packs: ['secrets', 'standard-webhooks'],
    path: '/secrets',
    isWrong: (attributes) => attributes.secrets !== undefined && activeSecrets(attributes).length === 0,
    says({ secrets }) {
      const deleted = Object.keys(secrets ?? {}).length
      return `no active secret${deleted === 0 ? '' : ` (${deleted} deleted)`}: its deliveries cannot be verified`
    },
  }),
  most('endpoint', {
    id: 'endpoint/secret-too-many',
    title: 'More active secrets than a rotation needs',
    severity: 'low',
    packs: ['secrets'],
    path: '/secrets',
    of: (attributes) => activeSecrets(attributes).length,
    option: 'max_secrets',
    limit: z.int().positive().default(2).describe('Active secrets that an endpoint may have'),
    says: (secrets, max) => `${secrets} active secrets, the policy allows ${max}`,
  }),
  fieldRule('endpoint', {
    id: 'endpoint/signature-simple',
    title: 'Signature covers no timestamp: deliveries can be replayed',
    severity: 'medium',
    packs: ['standard-webhooks'],
    path: '/advanced_signatures',
    isWrong: ({ advanced_signatures: isAdvanced }) => isAdvanced === false,
    says: 'signs the payload without a timestamp: a copy stays valid',
    fix: true,
  }),
  fieldRule('endpoint', {
    id: 'endpoint/status-unknown',
    title: 'Status is one that hookdrift does not know',
    severity: 'low',
    packs: ['hygiene'],
    path: '/status',
    isWrong: ({ status }) => typeof status === 'string' && !knownStatuses.has(status),
    says: ({ status }) => `status ${status} is unknown: whether events are delivered is not known`,
  }),
  most('endpoint', {
    id: 'endpoint/timeout-high',
    title: 'Endpoint may hold a delivery worker for too long',
    severity: 'medium',
    packs: ['delivery'],
    path: '/http_timeout',
    of: ({ http_timeout: seconds }) => seconds,
    option: 'max_seconds',
    limit: z.number().positive().default(60).describe('Seconds that an endpoint may be given'),
    says: (seconds, max) => `times out after ${seconds} s, the policy allows ${max} s`,
    fix: 'nearest',
  }),
  least('endpoint', {
    id: 'endpoint/timeout-low',
    title: 'Endpoint has too little time to answer',
    severity: 'low',
    packs: ['delivery'],
    path: '/http_timeout',
    // 0 means the service's own default.
    of: ({ http_timeout: seconds }) => (typeof seconds === 'number' && seconds > 0 ? seconds : undefined),
    option: 'min_seconds',
    limit: z.number().positive().default(5).describe('Seconds that an endpoint must be given'),
    says: (seconds, min) => `times out after ${seconds} s, the policy asks for ${min} s`,
    fix: 'nearest',
  }),
  fieldRule('endpoint', {
    id: 'endpoint/url-metadata-address',
    title: 'Endpoint points at a cloud metadata service',
    severity: 'critical',
    packs: ['ssrf'],
    path: '/url',
    isWrong({ url }) {
      const destination = destinationOf(url ?? '')
      return destination !== undefined && reachOf(destination) === 'metadata'
    },
    says: ({ url }) =>
      `${hostOf(url)} is a metadata address: deliveries would ask the gateway's own cloud for credentials`,
  }),
  fieldRule('endpoint', {
    id: 'endpoint/url-not-https',
    title: 'Deliveries travel in clear',
    severity: 'high',
    packs: ['tls', 'standard-webhooks'],
    path: '/url',
    isWrong: ({ url }) => schemeOf(url) === 'http:',
    says: ({ url }) => `delivers to ${hostOf(url)} over plain http`,
  }),
  fieldRule('endpoint', {
    id: 'endpoint/url-raw-ip',
    title: 'Endpoint is addressed by number instead of name',
    severity: 'low',
    packs: ['hygiene'],
    path: '/url',
    isWrong({ url }) {
      const destination = destinationOf(url ?? '')
      return destination?.address !== undefined && reachOf(destination) === 'public'
    },
    says: ({ url }) => `${hostOf(url)} is an address, not a name`,
  }),
  alertContactInvalid,
  authMismatch,
  authOverHttp,
  authShared,
  authWeak,
  failureRateHigh,
  mtlsExpired,
  mtlsExpiring,
  mtlsIncomplete,
  mtlsWeak,
  nameConvention,
  oauthAlgorithmMismatch,
  oauthIncomplete,
  oauthKeyExposed,
  oauthUrlPrivate,
  orphan,
  pausedLong,
  rateLimitIneffective,
  secretAllExpired,
  secretExpiredActive,
  secretExpiring,
  secretShared,
  secretStale,
  secretWeak,
  urlCredentials,
  urlDuplicate,
  urlInvalid,
  urlOddPort,
  urlPrivateAddress,
  urlTestHost,
]

const knownStatuses: ReadonlySet<string> = new Set(['active', 'inactive', 'paused'])

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
