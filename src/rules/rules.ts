import { authenticationLost as driftAuthenticationLost } from './drift/authentication-lost.ts'
import { filterRemoved as driftFilterRemoved } from './drift/filter-removed.ts'
import { filterWidened as driftFilterWidened } from './drift/filter-widened.ts'
import { flapping as driftFlapping } from './drift/flapping.ts'
import { functionChanged as driftFunctionChanged } from './drift/function-changed.ts'
import { projectWeakened as driftProjectWeakened } from './drift/project-weakened.ts'
import { rateLimitLost as driftRateLimitLost } from './drift/rate-limit-lost.ts'
import { requestIdHeader as driftRequestIdHeader } from './drift/request-id-header.ts'
import { secretChanged as driftSecretChanged } from './drift/secret-changed.ts'
import { unexpected as driftUnexpected } from './drift/unexpected.ts'
import { urlHostChanged as driftUrlHostChanged } from './drift/url-host-changed.ts'
import { verificationWeakened as driftVerificationWeakened } from './drift/verification-weakened.ts'
import { alertContactInvalid as endpointAlertContactInvalid } from './endpoint/alert-contact-invalid.ts'
import { alertContactMissing as endpointAlertContactMissing } from './endpoint/alert-contact-missing.ts'
import { authMismatch as endpointAuthMismatch } from './endpoint/auth-mismatch.ts'
import { authOverHttp as endpointAuthOverHttp } from './endpoint/auth-over-http.ts'
import { authShared as endpointAuthShared } from './endpoint/auth-shared.ts'
import { authWeak as endpointAuthWeak } from './endpoint/auth-weak.ts'
import { failureRateHigh as endpointFailureRateHigh } from './endpoint/failure-rate-high.ts'
import { inactive as endpointInactive } from './endpoint/inactive.ts'
import { mtlsExpired as endpointMtlsExpired } from './endpoint/mtls-expired.ts'
import { mtlsExpiring as endpointMtlsExpiring } from './endpoint/mtls-expiring.ts'
import { mtlsIncomplete as endpointMtlsIncomplete } from './endpoint/mtls-incomplete.ts'
import { mtlsOverHttp as endpointMtlsOverHttp } from './endpoint/mtls-over-http.ts'
import { mtlsWeak as endpointMtlsWeak } from './endpoint/mtls-weak.ts'
import { nameConvention as endpointNameConvention } from './endpoint/name-convention.ts'
import { oauthAlgorithmMismatch as endpointOauthAlgorithmMismatch } from './endpoint/oauth-algorithm-mismatch.ts'
import { oauthIncomplete as endpointOauthIncomplete } from './endpoint/oauth-incomplete.ts'
import { oauthKeyExposed as endpointOauthKeyExposed } from './endpoint/oauth-key-exposed.ts'
import { oauthUrlHttp as endpointOauthUrlHttp } from './endpoint/oauth-url-http.ts'
import { oauthUrlPrivate as endpointOauthUrlPrivate } from './endpoint/oauth-url-private.ts'
import { orphan as endpointOrphan } from './endpoint/orphan.ts'
import { ownerMissing as endpointOwnerMissing } from './endpoint/owner-missing.ts'
import { pausedLong as endpointPausedLong } from './endpoint/paused-long.ts'
import { rateLimitAbsent as endpointRateLimitAbsent } from './endpoint/rate-limit-absent.ts'
import { rateLimitIneffective as endpointRateLimitIneffective } from './endpoint/rate-limit-ineffective.ts'
import { rateLimitLow as endpointRateLimitLow } from './endpoint/rate-limit-low.ts'
import { secretAllExpired as endpointSecretAllExpired } from './endpoint/secret-all-expired.ts'
import { secretExpiredActive as endpointSecretExpiredActive } from './endpoint/secret-expired-active.ts'
import { secretExpiring as endpointSecretExpiring } from './endpoint/secret-expiring.ts'
import { secretMissing as endpointSecretMissing } from './endpoint/secret-missing.ts'
import { secretShared as endpointSecretShared } from './endpoint/secret-shared.ts'
import { secretStale as endpointSecretStale } from './endpoint/secret-stale.ts'
import { secretTooMany as endpointSecretTooMany } from './endpoint/secret-too-many.ts'
import { secretWeak as endpointSecretWeak } from './endpoint/secret-weak.ts'
import { signatureSimple as endpointSignatureSimple } from './endpoint/signature-simple.ts'
import { statusUnknown as endpointStatusUnknown } from './endpoint/status-unknown.ts'
import { timeoutHigh as endpointTimeoutHigh } from './endpoint/timeout-high.ts'
import { timeoutLow as endpointTimeoutLow } from './endpoint/timeout-low.ts'
import { urlCredentials as endpointUrlCredentials } from './endpoint/url-credentials.ts'
import { urlDuplicate as endpointUrlDuplicate } from './endpoint/url-duplicate.ts'
import { urlInvalid as endpointUrlInvalid } from './endpoint/url-invalid.ts'
import { urlMetadataAddress as endpointUrlMetadataAddress } from './endpoint/url-metadata-address.ts'
import { urlNotHttps as endpointUrlNotHttps } from './endpoint/url-not-https.ts'
import { urlOddPort as endpointUrlOddPort } from './endpoint/url-odd-port.ts'
import { urlPrivateAddress as endpointUrlPrivateAddress } from './endpoint/url-private-address.ts'
import { urlRawIp as endpointUrlRawIp } from './endpoint/url-raw-ip.ts'
import { urlTestHost as endpointUrlTestHost } from './endpoint/url-test-host.ts'
import type { Rule } from './engine/rule.ts'
import { failed as probeFailed } from './probe/failed.ts'
import { outputChanged as probeOutputChanged } from './probe/output-changed.ts'
import { unexpected as probeUnexpected } from './probe/unexpected.ts'
import { disableEndpointOff as projectDisableEndpointOff } from './project/disable-endpoint-off.ts'
import { dynamicUrlsUnmatched as projectDynamicUrlsUnmatched } from './project/dynamic-urls-unmatched.ts'
import { massRemoval as projectMassRemoval } from './project/mass-removal.ts'
import { metaEventInsecure as projectMetaEventInsecure } from './project/meta-event-insecure.ts'
import { rateLimitIneffective as projectRateLimitIneffective } from './project/rate-limit-ineffective.ts'
import { replayProtectionOff as projectReplayProtectionOff } from './project/replay-protection-off.ts'
import { retryFew as projectRetryFew } from './project/retry-few.ts'
import { retryHammering as projectRetryHammering } from './project/retry-hammering.ts'
import { retryShort as projectRetryShort } from './project/retry-short.ts'
import { signatureMissing as projectSignatureMissing } from './project/signature-missing.ts'
import { signatureWeak as projectSignatureWeak } from './project/signature-weak.ts'
import { tlsNotEnforced as projectTlsNotEnforced } from './project/tls-not-enforced.ts'
import { unlisted as projectUnlisted } from './project/unlisted.ts'
import { vanished as projectVanished } from './project/vanished.ts'
import { releaseVulnerable as serviceReleaseVulnerable } from './service/release-vulnerable.ts'
import { deadLetterMissing as sourceDeadLetterMissing } from './source/dead-letter-missing.ts'
import { disabled as sourceDisabled } from './source/disabled.ts'
import { eventTypeUnsigned as sourceEventTypeUnsigned } from './source/event-type-unsigned.ts'
import { functionBroken as sourceFunctionBroken } from './source/function-broken.ts'
import { hmacIncomplete as sourceHmacIncomplete } from './source/hmac-incomplete.ts'
import { hmacWeak as sourceHmacWeak } from './source/hmac-weak.ts'
import { idempotencyMissing as sourceIdempotencyMissing } from './source/idempotency-missing.ts'
import { providerMismatch as sourceProviderMismatch } from './source/provider-mismatch.ts'
import { queuePlaintext as sourceQueuePlaintext } from './source/queue-plaintext.ts'
import { queueStaticKeys as sourceQueueStaticKeys } from './source/queue-static-keys.ts'
import { unverified as sourceUnverified } from './source/unverified.ts'
import { urlNotHttps as sourceUrlNotHttps } from './source/url-not-https.ts'
import { verifierReplayable as sourceVerifierReplayable } from './source/verifier-replayable.ts'
import { verifierShared as sourceVerifierShared } from './source/verifier-shared.ts'
import { verifierUnknown as sourceVerifierUnknown } from './source/verifier-unknown.ts'
import { verifierWeak as sourceVerifierWeak } from './source/verifier-weak.ts'
import { alertOdd as subscriptionAlertOdd } from './subscription/alert-odd.ts'
import { atMostOnce as subscriptionAtMostOnce } from './subscription/at-most-once.ts'
import { duplicate as subscriptionDuplicate } from './subscription/duplicate.ts'
import { eventTypeDeprecated as subscriptionEventTypeDeprecated } from './subscription/event-type-deprecated.ts'
import { eventTypeOdd as subscriptionEventTypeOdd } from './subscription/event-type-odd.ts'
import { eventTypeUnknown as subscriptionEventTypeUnknown } from './subscription/event-type-unknown.ts'
import { filterDiverges as subscriptionFilterDiverges } from './subscription/filter-diverges.ts'
import { filterOff as subscriptionFilterOff } from './subscription/filter-off.ts'
import { filterUnsatisfiable as subscriptionFilterUnsatisfiable } from './subscription/filter-unsatisfiable.ts'
import { functionSuspicious as subscriptionFunctionSuspicious } from './subscription/function-suspicious.ts'
import { noFilter as subscriptionNoFilter } from './subscription/no-filter.ts'
import { rateLimitOdd as subscriptionRateLimitOdd } from './subscription/rate-limit-odd.ts'
import { retryAbsent as subscriptionRetryAbsent } from './subscription/retry-absent.ts'
import { retryFew as subscriptionRetryFew } from './subscription/retry-few.ts'
import { retryLinear as subscriptionRetryLinear } from './subscription/retry-linear.ts'
import { retryLong as subscriptionRetryLong } from './subscription/retry-long.ts'
import { retryMany as subscriptionRetryMany } from './subscription/retry-many.ts'
import { retryShort as subscriptionRetryShort } from './subscription/retry-short.ts'
import { targetMissing as subscriptionTargetMissing } from './subscription/target-missing.ts'
import { targetNotActive as subscriptionTargetNotActive } from './subscription/target-not-active.ts'
import { typeCli as subscriptionTypeCli } from './subscription/type-cli.ts'
import { wildcard as subscriptionWildcard } from './subscription/wildcard.ts'
import { wildcardMixed as subscriptionWildcardMixed } from './subscription/wildcard-mixed.ts'
import { overdue as violationOverdue } from './violation/overdue.ts'
import { expired as waiverExpired } from './waiver/expired.ts'
import { expiring as waiverExpiring } from './waiver/expiring.ts'
import { unused as waiverUnused } from './waiver/unused.ts'

/** Every rule in the order of ids: a file each, below this folder. `npm run new:rule -- endpoint/x` writes this table. */
export const rules: readonly Rule[] = [
  driftAuthenticationLost,
  driftFilterRemoved,
  driftFilterWidened,
  driftFlapping,
  driftFunctionChanged,
  driftProjectWeakened,
  driftRateLimitLost,
  driftRequestIdHeader,
  driftSecretChanged,
  driftUnexpected,
  driftUrlHostChanged,
  driftVerificationWeakened,
  endpointAlertContactInvalid,
  endpointAlertContactMissing,
  endpointAuthMismatch,
  endpointAuthOverHttp,
  endpointAuthShared,
  endpointAuthWeak,
  endpointFailureRateHigh,
  endpointInactive,
  endpointMtlsExpired,
  endpointMtlsExpiring,
  endpointMtlsIncomplete,
  endpointMtlsOverHttp,
  endpointMtlsWeak,
  endpointNameConvention,
  endpointOauthAlgorithmMismatch,
  endpointOauthIncomplete,
  endpointOauthKeyExposed,
  endpointOauthUrlHttp,
  endpointOauthUrlPrivate,
  endpointOrphan,
  endpointOwnerMissing,
  endpointPausedLong,
  endpointRateLimitAbsent,
  endpointRateLimitIneffective,
  endpointRateLimitLow,
  endpointSecretAllExpired,
  endpointSecretExpiredActive,
  endpointSecretExpiring,
  endpointSecretMissing,
  endpointSecretShared,
  endpointSecretStale,
  endpointSecretTooMany,
  endpointSecretWeak,
  endpointSignatureSimple,
  endpointStatusUnknown,
  endpointTimeoutHigh,
  endpointTimeoutLow,
  endpointUrlCredentials,
  endpointUrlDuplicate,
  endpointUrlInvalid,
  endpointUrlMetadataAddress,
  endpointUrlNotHttps,
  endpointUrlOddPort,
  endpointUrlPrivateAddress,
  endpointUrlRawIp,
  endpointUrlTestHost,
  probeFailed,
  probeOutputChanged,
  probeUnexpected,
  projectDisableEndpointOff,
  projectDynamicUrlsUnmatched,
  projectMassRemoval,
  projectMetaEventInsecure,
  projectRateLimitIneffective,
  projectReplayProtectionOff,
  projectRetryFew,
  projectRetryHammering,
  projectRetryShort,
  projectSignatureMissing,
  projectSignatureWeak,
  projectTlsNotEnforced,
  projectUnlisted,
  projectVanished,
  serviceReleaseVulnerable,
  sourceDeadLetterMissing,
  sourceDisabled,
  sourceEventTypeUnsigned,
  sourceFunctionBroken,
  sourceHmacIncomplete,
  sourceHmacWeak,
  sourceIdempotencyMissing,
  sourceProviderMismatch,
  sourceQueuePlaintext,
  sourceQueueStaticKeys,
  sourceUnverified,
  sourceUrlNotHttps,
  sourceVerifierReplayable,
  sourceVerifierShared,
  sourceVerifierUnknown,
  sourceVerifierWeak,
  subscriptionAlertOdd,
  subscriptionAtMostOnce,
  subscriptionDuplicate,
  subscriptionEventTypeDeprecated,
  subscriptionEventTypeOdd,
  subscriptionEventTypeUnknown,
  subscriptionFilterDiverges,
  subscriptionFilterOff,
  subscriptionFilterUnsatisfiable,
  subscriptionFunctionSuspicious,
  subscriptionNoFilter,
  subscriptionRateLimitOdd,
  subscriptionRetryAbsent,
  subscriptionRetryFew,
  subscriptionRetryLinear,
  subscriptionRetryLong,
  subscriptionRetryMany,
  subscriptionRetryShort,
  subscriptionTargetMissing,
  subscriptionTargetNotActive,
  subscriptionTypeCli,
  subscriptionWildcard,
  subscriptionWildcardMixed,
  violationOverdue,
  waiverExpired,
  waiverExpiring,
  waiverUnused,
]
