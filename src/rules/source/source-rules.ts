import { z } from 'zod'
import { readsOf, unsignedPartOf } from '../../gateway/events.ts'
import { lacks } from '../engine/attributes.ts'
import { fieldRule, resourceRule } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'
import { listed } from '../shared/listed.ts'
import { lengthClasses, reasonsAgainst, verifierSecretOf } from '../shared/secret-strength.ts'
import { settingsIgnored } from '../shared/settings-ignored.ts'
import { verifierFaults } from '../shared/verifier-faults.ts'
import { disabled } from './disabled.ts'
import { functionBroken } from './function-broken.ts'
import { queueDuplicate } from './queue-duplicate.ts'
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
      const part = unsignedPartOf(location)
      if (part === undefined || (verifier?.type ?? 'noop') !== 'noop') return undefined
      return {
        path: '/event_type_location',
        message: `the event type comes from ${part} (\`${location}\`) of unverified requests`,
      }
    },
  }),
  resourceRule('source', {
    id: 'source/idempotency-broken',
    title: 'Idempotency keys make the source lose its events',
    severity: 'high',
    packs: ['delivery'],
    check({ attributes: { type, idempotency_keys: keys } }) {
      if (type !== 'http' || !keys?.length) return undefined
      const unreadable = keys.filter((key) => readsOf(key) === undefined)
      const named = (some: readonly string[]) => listed(some.map((key) => `\`${key}\``))
      const message =
        unreadable.length > 0
          ? `the service cannot read ${named(unreadable)}: every event is refused`
          : keys.every((key) => readsOf(key) === 'nothing')
            ? `${named(keys)} is empty in every request: all events but the first are dropped as duplicates`
            : undefined
      return message === undefined ? undefined : { path: '/idempotency_keys', message }
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
    id: 'source/queue-static-keys',
    title: 'Source uses a cloud key that never expires',
    severity: 'low',
    packs: ['secrets'],
    highest: 'high',
    *check({ attributes: { pub_sub: queue }, facts }) {
      const isTemporary = facts['/pub_sub/sqs/access_key_id']?.temporary === true
      if (queue?.type === 'sqs' && isTemporary) {
        // The service has no place for the session token that belongs to it.
        const message = 'temporary access key (`ASIA…`) without its session token: SQS refuses it, nothing is read'
        yield { path: '/pub_sub/sqs/access_key_id', message, severity: 'high' }
      } else if (queue?.type === 'sqs' && queue.sqs?.secret_key !== undefined) {
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
    takesText: ['/provider'],
    *check({ attributes }) {
      const { type, verifier } = attributes
      if (verifier === undefined || (verifier?.type ?? 'noop') !== 'noop') return
      // With a provider it refuses every event: source/verifier-broken says so.
      if (type === 'http' && lacks(attributes, 'provider')) {
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
  resourceRule('source', {
    id: 'source/verifier-broken',
    title: 'Source verifies in a way that the service cannot',
    severity: 'high',
    packs: ['delivery', 'secrets', 'standard-webhooks'],
    acceptedWith: ['/verifier', '/provider'],
    takesText: ['/provider', '/verifier/type', '/verifier/hmac/hash', '/verifier/hmac/encoding'],
    check({ attributes: { type, provider, verifier } }) {
      // Of a queue, the service verifies nothing. The copies of sources in subscriptions do not show the provider.
      if (type !== 'http' || verifier === undefined || provider === undefined) return undefined
      return verifierFaults(verifier, provider)
    },
  }),
  fieldRule('source', {
    id: 'source/verifier-replayable',
    title: 'Source authentication does not cover the payload',
    severity: 'low',
    packs: ['standard-webhooks'],
    acceptedWith: ['/verifier'],
    path: '/verifier/type',
    isWrong: (source) =>
      source.type === 'http' &&
      (source.verifier?.type === 'basic_auth' || source.verifier?.type === 'api_key') &&
      lacks(source, 'provider'),
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
      // Of a queue, the service verifies nothing.
      if (secret === undefined || attributes.type === 'pub_sub') return
      const reasons = reasonsAgainst(secret.seal, facts[secret.path], options.min_characters)
      if (reasons.length > 0) return { path: secret.path, message: `weak ${secret.what}: ${reasons.join(', ')}` }
      return undefined
    },
  }),
  disabled,
  functionBroken,
  queueDuplicate,
  queuePlaintext,
  verifierShared,
]

const knownTypes: ReadonlySet<string> = new Set(['noop', 'hmac', 'basic_auth', 'api_key'])
