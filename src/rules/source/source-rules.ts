import { fieldRule } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'
import { hostOf, schemeOf } from '../shared/destination.ts'
import { disabled } from './disabled.ts'
import { eventTypeUnsigned } from './event-type-unsigned.ts'
import { functionBroken } from './function-broken.ts'
import { hmacIncomplete } from './hmac-incomplete.ts'
import { hmacWeak } from './hmac-weak.ts'
import { providerMismatch } from './provider-mismatch.ts'
import { queuePlaintext } from './queue-plaintext.ts'
import { queueStaticKeys } from './queue-static-keys.ts'
import { unverified } from './unverified.ts'
import { verifierShared } from './verifier-shared.ts'
import { verifierUnknown } from './verifier-unknown.ts'
import { verifierWeak } from './verifier-weak.ts'

/** Rules about sources. Those about one field are rows here, in the order of ids; the others have a file each. */
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
  fieldRule('source', {
    id: 'source/idempotency-missing',
    title: 'Source cannot recognise repeated events',
    severity: 'low',
    packs: ['delivery'],
    path: '/idempotency_keys',
    isWrong: ({ type, idempotency_keys: keys }) => type === 'http' && keys !== undefined && (keys?.length ?? 0) === 0,
    says: 'no idempotency keys: an event that the sender repeats is delivered again',
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
  disabled,
  eventTypeUnsigned,
  functionBroken,
  hmacIncomplete,
  hmacWeak,
  providerMismatch,
  queuePlaintext,
  queueStaticKeys,
  unverified,
  verifierShared,
  verifierUnknown,
  verifierWeak,
]
