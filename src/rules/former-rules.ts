/**
 * Rules that are no more, with what to write in a policy instead: the end of the sentence "there is no rule X, …". A row
 * stays for a year, so that people who upgrade learn it.
 */
export const formerRules: Readonly<Record<string, string>> = {
  'project/disable-endpoint-off':
    'endpoints are not to be disabled by it: remove it; `project/disable-hair-trigger` reports the opposite',
  'project/rate-limit-ineffective': 'the service ignores that limit: `project/settings-ignored` says so',
  'project/replay-protection-off': 'the service ignores that setting: `project/settings-ignored` says so',
  'project/retry-few': 'it is part of `project/retry-short` now, as its option `min_retries`',
  'project/signature-missing': 'it is part of `project/signature-broken` now',
  'project/signature-weak': 'it is `project/signature-broken` now: no weak hash is ever computed',
  ...Object.fromEntries(
    [
      'alert-odd',
      'rate-limit-odd',
      'retry-absent',
      'retry-few',
      'retry-linear',
      'retry-long',
      'retry-many',
      'retry-short',
    ].map((name) => [
      `subscription/${name}`,
      'the service ignores what it is about: `subscription/settings-ignored` says so',
    ]),
  ),
  'subscription/event-type-unknown':
    'it could find nothing, because the gateway puts the types of every subscription into the catalogue: ' +
    '`subscription/event-type-unreachable` finds types that never come',
  'source/hmac-incomplete': 'it is part of `source/verifier-broken` now',
  'source/hmac-weak': 'it is part of `source/verifier-broken` now: the service computes SHA256 and SHA512 only',
  'source/provider-mismatch': 'it is part of `source/verifier-broken` now',
  'endpoint/mtls-expired': 'it is part of `endpoint/mtls-broken` now',
  'endpoint/mtls-expiring': 'it is part of `endpoint/mtls-broken` now, with its option `min_days`',
  'endpoint/mtls-incomplete': 'it is part of `endpoint/mtls-broken` now',
  'endpoint/mtls-over-http': 'it is part of `endpoint/url-not-https` now',
  'endpoint/mtls-weak': 'it is part of `endpoint/mtls-broken` now',
  'endpoint/secret-all-expired': 'it is part of `endpoint/secret-expired-active` now',
  'endpoint/secret-expiring': 'a secret signs on after its end, and `endpoint/secret-expired-active` reports it then',
  'source/url-not-https': 'it is `service/url-not-https` now, with one violation for each service',
}
