import { z } from 'zod'
import { isOutdatedHash } from '../../gateway/signatures.ts'
import { fieldRule, resourceRule } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'
import { hostOf, schemeOf } from '../shared/destination.ts'
import { lengthClasses, reasonsAgainst, verifierSecretOf } from '../shared/secrets.ts'
import { settingsIgnored } from '../shared/settings-ignored.ts'
import { disabled } from './disabled.ts'
import { functionBroken } from './function-broken.ts'
import { queuePlaintext } from './queue-plaintext.ts'
import { verifierShared } from './verifier-shared.ts'

/** Rules about sources. Short ones are rows here, in the order of ids; the others have a file each. */
export const sourceRules: readonly Rule[] = [
  fieldRule('source', {
    id: 'source/dead-letter-missing',
    title: 'Source has no dead-letter exchange',
    severity: 'low',
    packs: ['delivery'],
    path: '/pub_sub/amqp/deadLetterExchange',
    // Empty members are left out of a queue that is shown.
    isWrong: ({ pub_sub: queue }) =>
      queue?.type === 'amqp' && queue.amqp !== undefined && queue.amqp.deadLetterExchange === undefined,
    says: 'no dead-letter exchange: rejected messages are lost without a trace',
  }),
  resourceRule('source', {
    id: 'source/event-type-unsigned',
    title: 'Unverified senders choose the event type',
    severity: 'medium',
    packs: ['standard-webhooks'],
    acceptedWith: ['/verifier'],
    check({ attributes: { type, event_type_location: location, verifier } }) {
      // The broker of a queue decides who may write to it.
      if (type !== 'http' || typeof location !== 'string' || verifier === undefined) return undefined
      const part = partOf(location)
      if (part === undefined || (verifier?.type ?? 'noop') !== 'noop') return undefined
      return {
        path: '/event_type_location',
        message: `the event type comes from ${part} (\`${location}\`) of unverified requests`,
      }
    },
  }),
  resourceRule('source', {
    id: 'source/hmac-incomplete',
    title: 'HMAC verification is missing its secret or header',
    severity: 'high',
    packs: ['secrets'],
    acceptedWith: ['/verifier'],
    *check({ attributes: { verifier, provider } }) {
      if (verifier?.type !== 'hmac') return
      // Empty members are left out of a verifier that is shown.
      if (verifier.hmac?.secret === undefined) {
        yield { path: '/verifier/hmac/secret', message: 'no secret: anyone can compute the signature' }
      }
      // The service knows the header of a known provider; a source that a subscription carries does not show it.
      if (verifier.hmac?.header === undefined && provider !== undefined && !isKnownProvider(provider)) {
        yield {
          path: '/verifier/hmac/header',
          message: 'no header: the source finds no signature and refuses every event',
        }
      }
    },
  }),
  resourceRule('source', {
    id: 'source/hmac-weak',
    title: 'Source verifies with an outdated hash',
    severity: 'high',
    packs: ['secrets', 'standard-webhooks'],
    acceptedWith: ['/verifier'],
    check({ attributes: { verifier } }) {
      const hash = verifier?.type === 'hmac' ? verifier.hmac?.hash : undefined
      if (hash === undefined) return
      const isShort = /^sha-?224$/i.test(hash)
      if (isShort || isOutdatedHash(hash)) {
        return {
          path: '/verifier/hmac/hash',
          message: `verifies events with HMAC-${hash} (recommended: SHA256)`,
          severity: isShort ? 'low' : 'high',
        }
      }
      return undefined
    },
  }),
  fieldRule('source', {
    id: 'source/idempotency-missing',
    title: 'Source cannot recognise repeated events',
    severity: 'low',
    packs: ['delivery'],
    path: '/idempotency_keys',
    isWrong: ({ type, idempotency_keys: keys }) => type === 'http' && keys !== undefined && (keys?.length ?? 0) === 0,
    says: 'no idempotency keys: an event that the sender repeats is delivered again',
  }),
  resourceRule('source', {
    id: 'source/provider-mismatch',
    title: "Source does not verify its provider's signature",
    severity: 'high',
    packs: ['secrets'],
    acceptedWith: ['/provider'],
    check({ attributes: { provider, verifier } }) {
      if (verifier === undefined || !isKnownProvider(provider)) return
      if (verifier?.type === 'hmac' && verifier.hmac?.secret !== undefined) return
      const instead =
        verifier?.type === 'hmac'
          ? 'the HMAC verifier has no secret'
          : `the verifier is \`${verifier?.type ?? 'noop'}\``
      return { path: '/verifier', message: `${provider} signs its events, but ${instead}` }
    },
  }),
  resourceRule('source', {
    id: 'source/queue-static-keys',
    title: 'Source uses a cloud key that never expires',
    severity: 'medium',
    packs: ['secrets'],
    *check({ attributes: { pub_sub: queue }, facts }) {
      const isTemporary = facts['/pub_sub/sqs/access_key_id']?.temporary === true
      if (queue?.type === 'sqs' && queue.sqs?.secret_key !== undefined && !isTemporary) {
        yield {
          path: '/pub_sub/sqs/secret_key',
          message: 'reads SQS with an access key, which stays valid until it is revoked',
        }
      }
      if (queue?.type === 'google' && queue.google?.service_account !== undefined) {
        yield {
          path: '/pub_sub/google/service_account',
          message: 'reads Pub/Sub with a service account key, which stays valid until it is revoked',
        }
      }
    },
  }),
  settingsIgnored('source', {
    id: 'source/settings-ignored',
    title: 'Declared settings that the service ignores',
    severity: 'info',
    packs: ['hygiene'],
  }),
  resourceRule('source', {
    id: 'source/unverified',
    title: 'Source accepts events from anyone who knows its URL',
    severity: 'critical',
    packs: ['standard-webhooks', 'secrets'],
    *check({ attributes: { type, verifier } }) {
      if (verifier === undefined || (verifier?.type ?? 'noop') !== 'noop') return
      if (type === 'http') {
        yield { path: '/verifier', message: 'no verification: anyone who knows the URL can inject events' }
      } else if (type === 'pub_sub') {
        yield {
          path: '/verifier',
          message: 'no verification: everyone who can write to the queue is trusted',
          severity: 'info',
        }
      }
    },
  }),
  fieldRule('source', {
    id: 'source/url-not-https',
    title: 'Source receives events over plain http',
    severity: 'medium',
    packs: ['tls', 'standard-webhooks'],
    path: '/url',
    // A source that reads from a queue receives nothing at its URL.
    isWrong: ({ type, url }) => type === 'http' && typeof url === 'string' && schemeOf(url) === 'http:',
    says: ({ url }) => `receives events at ${hostOf(url)} over plain http`,
  }),
  fieldRule('source', {
    id: 'source/verifier-replayable',
    title: 'Source authentication does not cover the payload',
    severity: 'low',
    packs: ['standard-webhooks'],
    acceptedWith: ['/verifier'],
    path: '/verifier/type',
    isWrong: ({ verifier }) => verifier?.type === 'basic_auth' || verifier?.type === 'api_key',
    says: ({ verifier }) =>
      `\`${verifier?.type}\` does not cover the payload: anyone who sees one request can send others`,
  }),
  resourceRule('source', {
    id: 'source/verifier-unknown',
    title: 'Source verifier type is unknown',
    severity: 'high',
    packs: ['standard-webhooks', 'secrets'],
    takesText: ['/verifier/type'],
    *check({ attributes: { type, verifier } }) {
      const name = verifier?.type
      if (typeof name !== 'string' || name === '' || knownTypes.has(name)) return
      const path = '/verifier/type'
      const message = `unknown verifier type \`${name}\`: releases up to v26.6.8 then verify nothing`
      // The broker of a queue decides who may write, as for source/unverified.
      if (type === 'pub_sub') yield { path, message, severity: 'info' }
      else yield { path, message }
    },
  }),
  resourceRule('source', {
    id: 'source/verifier-weak',
    title: 'Source secret is weak',
    severity: 'high',
    packs: ['secrets', 'standard-webhooks'],
    skipsMasked: true,
    options: z.strictObject({
      min_characters: z.literal(lengthClasses).default(16).describe('Minimum length of a secret, in characters'),
    }),
    check({ attributes, facts }, { options }) {
      const secret = verifierSecretOf(attributes.verifier)
      if (secret === undefined) return
      const reasons = reasonsAgainst(secret.seal, facts[secret.path], options.min_characters)
      if (reasons.length > 0) return { path: secret.path, message: `weak ${secret.what}: ${reasons.join(', ')}` }
      return undefined
    },
  }),
  disabled,
  functionBroken,
  queuePlaintext,
  verifierShared,
]

/** The service reads `request.…` and `req.…`, in any case; a type in the body is as good as the event itself. */
function partOf(location: string): string | undefined {
  const [, part = ''] = /^(?:request|req)\.(header|query|queryparam)\./i.exec(location) ?? []
  return part === '' ? undefined : part.toLowerCase() === 'header' ? 'a header' : 'the query'
}

const knownTypes: ReadonlySet<string> = new Set(['noop', 'hmac', 'basic_auth', 'api_key'])

/** Senders whose way of signing the service knows by itself. */
const knownProviders = new Set(['github', 'shopify', 'twitter'])

function isKnownProvider(provider: string | null | undefined): provider is string {
  return typeof provider === 'string' && knownProviders.has(provider.toLowerCase())
}
