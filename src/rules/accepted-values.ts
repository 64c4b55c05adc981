import { hash } from 'node:crypto'
import { canonicalJson } from '../model/canonical-json.ts'
import { type Json, type JsonObject, valueAt } from '../model/json.ts'

// What a person accepts with a violation: the value at its pointer, and what its rule compares with it. Tables of their
// own, because commands that read the history alone load no rules.

/** Findings of these are accepted as they are: they are about what happens, or about what is missing. */
const withoutValue: ReadonlySet<string> = new Set([
  ...['drift/flapping', 'endpoint/failure-rate-high', 'endpoint/orphan'],
  ...['project/mass-removal', 'project/unlisted', 'project/vanished', 'service/release-vulnerable'],
  'violation/overdue',
  ...['waiver/expired', 'waiver/expiring', 'waiver/unused'],
])

/** By rule, in what besides its pointer the same finding may become another one: JSON Pointers into the attributes. */
const comparedBesides: Readonly<Record<string, readonly string[]>> = {
  'drift/filter-widened': ['/filter_config', '/filters'],
  'drift/rate-limit-lost': ['/rate_limit', '/rate_limit_duration', '/config/ratelimit'],
  'drift/verification-weakened': ['/verifier'],
  'endpoint/auth-mismatch': ['/authentication'],
  'endpoint/auth-over-http': ['/authentication'],
  'endpoint/auth-shared': ['/url'],
  'endpoint/mtls-incomplete': ['/mtls_client_cert'],
  'endpoint/mtls-over-http': ['/mtls_client_cert'],
  'endpoint/oauth-algorithm-mismatch': ['/authentication/oauth2'],
  'endpoint/oauth-incomplete': ['/authentication/oauth2'],
  'endpoint/oauth-url-http': ['/authentication/oauth2'],
  'endpoint/rate-limit-ineffective': ['/rate_limit', '/rate_limit_duration'],
  'endpoint/rate-limit-low': ['/rate_limit', '/rate_limit_duration'],
  'endpoint/secret-expiring': ['/secrets'],
  'project/meta-event-insecure': ['/config/meta_event'],
  'project/retry-few': ['/config/strategy'],
  'source/event-type-unsigned': ['/verifier'],
  'source/hmac-incomplete': ['/verifier'],
  'source/hmac-weak': ['/verifier'],
  'source/provider-mismatch': ['/provider'],
  'source/queue-plaintext': ['/pub_sub'],
  'source/verifier-replayable': ['/verifier'],
  'subscription/alert-odd': ['/alert_config'],
  'subscription/duplicate': ['/endpoint_uid', '/filter_config', '/filters', '/source_uid'],
  'subscription/filter-diverges': ['/filter_config'],
  'subscription/filter-off': ['/filters/*'],
  'subscription/retry-few': ['/retry_config'],
  'subscription/retry-many': ['/retry_config'],
  'subscription/wildcard-mixed': ['/filters'],
}

/** Rules with an entry in one of the tables: a test compares them with the rules that there are. */
export const rulesWithEntries: readonly string[] = [...withoutValue, ...Object.keys(comparedBesides)]

/**
 * What a finding is accepted with, as JSON Pointers into the attributes of its resource; the empty one is all of them,
 * which a rule of a policy file reads that names no field. None: the finding is accepted as it is.
 */
export function acceptedPaths({ rule, path }: { readonly rule: string; readonly path: string }): readonly string[] {
  if (withoutValue.has(rule)) return []
  const besides = Object.hasOwn(comparedBesides, rule) ? (comparedBesides[rule] ?? []) : []
  // What is found in the declared filter stays the same finding when rows are read for the first time.
  return [path, ...besides.filter((other) => other !== '/filters' || isWithin(path, '/filters'))]
}

/**
 * The digest of what a finding is accepted with; null where that is nothing. `attributes`: in the normal form, with
 * secrets sealed under a key, so a plain digest gives no guess at a secret away.
 */
export function acceptedDigest(
  attributes: JsonObject,
  finding: { readonly rule: string; readonly path: string },
): string | null {
  const paths = acceptedPaths(finding)
  if (paths.length === 0) return null
  const values = paths.flatMap((path): [string, Json][] => {
    const value = valueAt(attributes, path)
    return value === undefined ? [] : [[path, value]]
  })
  return hash('sha256', canonicalJson(['hookdrift.accepted/1', ...values]))
}

/** Whether a change of a field, with all below it, may be one of a value at some pointers. */
export function touches(paths: readonly string[], field: string): boolean {
  return paths.some((path) => isWithin(field, path) || isWithin(path, field))
}

function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`)
}
