import { authenticationLost } from './drift/authentication-lost.ts'
import { filterWidened } from './drift/filter-widened.ts'
import { flapping } from './drift/flapping.ts'
import { functionChanged } from './drift/function-changed.ts'
import { projectWeakened } from './drift/project-weakened.ts'
import { rateLimitLost } from './drift/rate-limit-lost.ts'
import { secretChanged } from './drift/secret-changed.ts'
import { unexpected as driftUnexpected } from './drift/unexpected.ts'
import { urlHostChanged } from './drift/url-host-changed.ts'
import { verificationWeakened } from './drift/verification-weakened.ts'
import { alertContactInvalid } from './endpoint/alert-contact-invalid.ts'
import { alertContactMissing } from './endpoint/alert-contact-missing.ts'
import { authMismatch } from './endpoint/auth-mismatch.ts'
import { authOverHttp } from './endpoint/auth-over-http.ts'
import { authShared } from './endpoint/auth-shared.ts'
import { authWeak } from './endpoint/auth-weak.ts'
import { failureRateHigh } from './endpoint/failure-rate-high.ts'
import { inactive } from './endpoint/inactive.ts'
import { mtlsExpired } from './endpoint/mtls-expired.ts'
import { mtlsExpiring } from './endpoint/mtls-expiring.ts'
import { mtlsIncomplete } from './endpoint/mtls-incomplete.ts'
import { mtlsOverHttp } from './endpoint/mtls-over-http.ts'
import { mtlsWeak } from './endpoint/mtls-weak.ts'
import { nameConvention } from './endpoint/name-convention.ts'
import { oauthAlgorithmMismatch } from './endpoint/oauth-algorithm-mismatch.ts'
import { oauthIncomplete } from './endpoint/oauth-incomplete.ts'
import { oauthKeyExposed } from './endpoint/oauth-key-exposed.ts'
import { oauthUrlHttp } from './endpoint/oauth-url-http.ts'
import { oauthUrlPrivate } from './endpoint/oauth-url-private.ts'
import { orphan } from './endpoint/orphan.ts'
import { ownerMissing } from './endpoint/owner-missing.ts'
import { pausedLong } from './endpoint/paused-long.ts'
import { rateLimitAbsent } from './endpoint/rate-limit-absent.ts'
import { rateLimitIneffective } from './endpoint/rate-limit-ineffective.ts'
import { rateLimitLow } from './endpoint/rate-limit-low.ts'
import { secretAllExpired } from './endpoint/secret-all-expired.ts'
import { secretExpiredActive } from './endpoint/secret-expired-active.ts'
import { secretExpiring } from './endpoint/secret-expiring.ts'
import { secretMissing } from './endpoint/secret-missing.ts'
import { secretShared } from './endpoint/secret-shared.ts'
import { secretStale } from './endpoint/secret-stale.ts'
import { secretTooMany } from './endpoint/secret-too-many.ts'
import { secretWeak } from './endpoint/secret-weak.ts'
import { signatureSimple } from './endpoint/signature-simple.ts'
import { statusUnknown } from './endpoint/status-unknown.ts'
import { timeoutHigh } from './endpoint/timeout-high.ts'
import { timeoutLow } from './endpoint/timeout-low.ts'
import { urlCredentials } from './endpoint/url-credentials.ts'
import { urlDuplicate } from './endpoint/url-duplicate.ts'
import { urlInvalid } from './endpoint/url-invalid.ts'
import { urlMetadataAddress } from './endpoint/url-metadata-address.ts'
import { urlNotHttps } from './endpoint/url-not-https.ts'
import { urlOddPort } from './endpoint/url-odd-port.ts'
import { urlPrivateAddress } from './endpoint/url-private-address.ts'
import { urlRawIp } from './endpoint/url-raw-ip.ts'
import { urlTestHost } from './endpoint/url-test-host.ts'
import { failed } from './probe/failed.ts'
import { outputChanged } from './probe/output-changed.ts'
import { unexpected } from './probe/unexpected.ts'
import { disableEndpointOff } from './project/disable-endpoint-off.ts'
import { massRemoval } from './project/mass-removal.ts'
import { metaEventInsecure } from './project/meta-event-insecure.ts'
import { rateLimitIneffective as projectRateLimitIneffective } from './project/rate-limit-ineffective.ts'
import { replayProtectionOff } from './project/replay-protection-off.ts'
import { retryFew as projectRetryFew } from './project/retry-few.ts'
import { retryHammering } from './project/retry-hammering.ts'
import { retryShort as projectRetryShort } from './project/retry-short.ts'
import { signatureWeak } from './project/signature-weak.ts'
import { tlsNotEnforced } from './project/tls-not-enforced.ts'
import { vanished } from './project/vanished.ts'
import type { Rule } from './rule.ts'
import { deadLetterMissing } from './source/dead-letter-missing.ts'
import { disabled } from './source/disabled.ts'
import { functionBroken } from './source/function-broken.ts'
import { hmacIncomplete } from './source/hmac-incomplete.ts'
import { hmacWeak } from './source/hmac-weak.ts'
import { idempotencyMissing } from './source/idempotency-missing.ts'
import { providerMismatch } from './source/provider-mismatch.ts'
import { queuePlaintext } from './source/queue-plaintext.ts'
import { queueStaticKeys } from './source/queue-static-keys.ts'
import { unverified } from './source/unverified.ts'
import { urlNotHttps as sourceUrlNotHttps } from './source/url-not-https.ts'
import { verifierReplayable } from './source/verifier-replayable.ts'
import { verifierShared } from './source/verifier-shared.ts'
import { verifierWeak } from './source/verifier-weak.ts'
import { alertOdd } from './subscription/alert-odd.ts'
import { atMostOnce } from './subscription/at-most-once.ts'
import { duplicate } from './subscription/duplicate.ts'
import { eventTypeOdd } from './subscription/event-type-odd.ts'
import { filterUnsatisfiable } from './subscription/filter-unsatisfiable.ts'
import { functionSuspicious } from './subscription/function-suspicious.ts'
import { rateLimitOdd } from './subscription/rate-limit-odd.ts'
import { retryAbsent } from './subscription/retry-absent.ts'
import { retryFew } from './subscription/retry-few.ts'
import { retryLinear } from './subscription/retry-linear.ts'
import { retryLong } from './subscription/retry-long.ts'
import { retryMany } from './subscription/retry-many.ts'
import { retryShort } from './subscription/retry-short.ts'
import { targetMissing } from './subscription/target-missing.ts'
import { targetNotActive } from './subscription/target-not-active.ts'
import { typeCli } from './subscription/type-cli.ts'
import { wildcard } from './subscription/wildcard.ts'
import { wildcardMixed } from './subscription/wildcard-mixed.ts'
import { expired as waiverExpired } from './waiver/expired.ts'
import { expiring as waiverExpiring } from './waiver/expiring.ts'
import { unused as waiverUnused } from './waiver/unused.ts'

/** Every rule there is. Adding one: its file, a line here, a test. */
export const rules: readonly Rule[] = [
  alertContactInvalid,
  alertContactMissing,
  authMismatch,
  authOverHttp,
  authShared,
  authWeak,
  failureRateHigh,
  inactive,
  mtlsExpired,
  mtlsExpiring,
  mtlsIncomplete,
  mtlsOverHttp,
  mtlsWeak,
  nameConvention,
  oauthAlgorithmMismatch,
  oauthIncomplete,
  oauthKeyExposed,
  oauthUrlHttp,
  oauthUrlPrivate,
  orphan,
  ownerMissing,
  pausedLong,
  rateLimitAbsent,
  rateLimitIneffective,
  rateLimitLow,
  secretAllExpired,
  secretExpiredActive,
  secretExpiring,
  secretMissing,
  secretShared,
  secretStale,
  secretTooMany,
  secretWeak,
  signatureSimple,
  statusUnknown,
  timeoutHigh,
  timeoutLow,
  urlCredentials,
  urlDuplicate,
  urlInvalid,
  urlMetadataAddress,
  urlNotHttps,
  urlOddPort,
  urlPrivateAddress,
  urlRawIp,
  urlTestHost,
  authenticationLost,
  filterWidened,
  flapping,
  functionChanged,
  projectWeakened,
  rateLimitLost,
  secretChanged,
  driftUnexpected,
  urlHostChanged,
  verificationWeakened,
  failed,
  outputChanged,
  unexpected,
  disableEndpointOff,
  massRemoval,
  metaEventInsecure,
  projectRateLimitIneffective,
  replayProtectionOff,
  projectRetryFew,
  retryHammering,
  projectRetryShort,
  signatureWeak,
  tlsNotEnforced,
  vanished,
  deadLetterMissing,
  disabled,
  functionBroken,
  hmacIncomplete,
  hmacWeak,
  idempotencyMissing,
  providerMismatch,
  queuePlaintext,
  queueStaticKeys,
  unverified,
  sourceUrlNotHttps,
  verifierReplayable,
  verifierShared,
  verifierWeak,
  alertOdd,
  atMostOnce,
  duplicate,
  eventTypeOdd,
  filterUnsatisfiable,
  functionSuspicious,
  rateLimitOdd,
  retryAbsent,
  retryFew,
  retryLinear,
  retryLong,
  retryMany,
  retryShort,
  targetMissing,
  targetNotActive,
  typeCli,
  wildcard,
  wildcardMixed,
  waiverExpired,
  waiverExpiring,
  waiverUnused,
]
