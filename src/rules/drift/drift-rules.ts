import { z } from 'zod'
import type { Json } from '../../model/json.ts'
import { hourMs } from '../../model/time.ts'
import { type Authentication, isNone } from '../engine/attributes.ts'
import { driftRule, openFor } from '../engine/define-rule.ts'
import { configuredKinds, type Rule } from '../engine/rule.ts'
import { destinationOf } from '../shared/destination.ts'
import { listed } from '../shared/listed.ts'
import { findReturned } from '../shared/secret-strength.ts'
import { filterRemoved } from './filter-removed.ts'
import { filterWidened } from './filter-widened.ts'
import { functionChanged } from './function-changed.ts'
import { outsideWindow } from './outside-window.ts'
import { projectWeakened } from './project-weakened.ts'
import { rateLimitLost } from './rate-limit-lost.ts'
import { secretChanged } from './secret-changed.ts'
import { signatureChanged } from './signature-changed.ts'
import { unexpected } from './unexpected.ts'
import { verificationWeakened } from './verification-weakened.ts'

/** Rules about changes. Short ones are rows here, in the order of ids; the others have a file each. */
export const driftRules: readonly Rule[] = [
  driftRule({
    id: 'drift/authentication-lost',
    title: 'Endpoint no longer has authentication',
    severity: 'high',
    packs: ['secrets'],
    kinds: ['endpoint'],
    *check({ before, after, ...drift }) {
      const [was, is] = [before?.authentication, after?.authentication]
      const lost = is === null ? 'removed' : is && !isFilled(is) ? 'left without its settings' : undefined
      if (was?.type !== undefined && isFilled(was) && lost !== undefined) {
        yield { path: '/authentication', message: `authentication ${lost} (was ${nameOfAuthentication(was)})` }
      }
      if (before?.mtls_client_cert?.client_cert !== undefined && after?.mtls_client_cert === null) {
        yield { path: '/mtls_client_cert', message: 'client certificate removed: deliveries no longer present one' }
      }
      yield* findReturned(authentication, drift)
    },
  }),
  driftRule({
    id: 'drift/flapping',
    title: 'Field keeps changing',
    severity: 'medium',
    packs: ['hygiene'],
    acceptedWith: 'nothing',
    kinds: configuredKinds,
    life: 'found',
    options: z.strictObject({
      min_changes: z.int().min(2).default(3).describe('Number of changes that counts as flapping'),
      within_hours: z.number().positive().max(8760).default(24).describe('Hours over which changes are counted'),
    }),
    lookbackMs: ({ within_hours }) => within_hours * hourMs,
    *check({ recent }, { options: { min_changes, within_hours }, now }) {
      for (const [path, times] of recent) {
        const counted = times.filter((time) => now - time <= within_hours * hourMs)
        if (counted.length >= min_changes) {
          yield { path, message: `changed at least ${min_changes} times within ${within_hours} h` }
        }
      }
    },
  }),
  driftRule({
    id: 'drift/idempotency-changed',
    title: 'Idempotency keys of a source changed',
    severity: 'medium',
    packs: ['delivery'],
    kinds: ['source'],
    options: z.strictObject({ open_for: openFor }),
    *check({ after, fields }) {
      // Events of a queue bring their own key.
      if (after?.type !== 'http') return
      for (const { path, before, after } of fields) {
        if (path !== '/idempotency_keys') continue
        yield { path, message: `idempotency keys are ${namesOf(after)} (were ${namesOf(before)})` }
      }
    },
  }),
  driftRule({
    id: 'drift/request-id-header',
    title: 'Request ID header changed',
    severity: 'medium',
    packs: ['delivery', 'standard-webhooks'],
    kinds: ['project'],
    options: z.strictObject({ open_for: openFor }),
    *check({ before, after }) {
      const [old, now] = [before?.config?.request_id_header, after?.config?.request_id_header]
      if (old === undefined || now === undefined || old === now) return
      yield {
        path: '/config/request_id_header',
        message: `request ID header is ${nameOfHeader(now)} (was ${nameOfHeader(old)})`,
      }
    },
  }),
  driftRule({
    id: 'drift/url-host-changed',
    title: 'Endpoint host changed',
    severity: 'high',
    packs: ['ssrf'],
    kinds: ['endpoint'],
    options: z.strictObject({ open_for: openFor }),
    *check({ before, after }) {
      const [old, now] = [destinationOf(before?.url ?? ''), destinationOf(after?.url ?? '')]
      if (old === undefined || now === undefined || old.host === now.host) return
      yield { path: '/url', message: `delivers to ${now.host} (was ${old.host})` }
    },
  }),
  filterRemoved,
  filterWidened,
  functionChanged,
  outsideWindow,
  projectWeakened,
  rateLimitLost,
  secretChanged,
  signatureChanged,
  unexpected,
  verificationWeakened,
]

function namesOf(keys: Json): string {
  return Array.isArray(keys) && keys.length > 0 ? listed(keys.map((key) => `\`${String(key)}\``)) : 'none'
}

function nameOfHeader(header: string | null): string {
  return header === null ? 'empty' : `\`${header}\``
}

const authentication = { '/authentication': 'authentication', '/mtls_client_cert': 'the client certificate' }

/** Whether it has settings for its type. What a type holds that is not known is not for the rule to miss. */
function isFilled({ type, ...settings }: Authentication): boolean {
  return !(type === 'api_key' || type === 'basic_auth' || type === 'oauth2') || !isNone(settings[type])
}

function nameOfAuthentication({ type, api_key }: Authentication): string {
  if (type === 'api_key') return api_key?.header_name ? `an API key in \`${api_key.header_name}\`` : 'an API key'
  return type === 'basic_auth' ? 'basic authentication' : type === 'oauth2' ? 'OAuth 2.0' : String(type)
}
