import { inactive } from './endpoint/inactive.ts'
import { rateLimitIneffective } from './endpoint/rate-limit-ineffective.ts'
import { secretExpiredActive } from './endpoint/secret-expired-active.ts'
import { secretMissing } from './endpoint/secret-missing.ts'
import { secretShared } from './endpoint/secret-shared.ts'
import { urlMetadataAddress } from './endpoint/url-metadata-address.ts'
import { urlNotHttps } from './endpoint/url-not-https.ts'
import { retryHammering } from './project/retry-hammering.ts'
import type { Rule } from './rule.ts'
import { disabled } from './source/disabled.ts'
import { unverified } from './source/unverified.ts'
import { retryAbsent } from './subscription/retry-absent.ts'
import { retryFew } from './subscription/retry-few.ts'
import { retryLinear } from './subscription/retry-linear.ts'
import { retryLong } from './subscription/retry-long.ts'
import { retryMany } from './subscription/retry-many.ts'
import { retryShort } from './subscription/retry-short.ts'
import { targetMissing } from './subscription/target-missing.ts'
import { targetNotActive } from './subscription/target-not-active.ts'

/** Every rule there is. Adding one: its file, a line here, a test. */
export const rules: readonly Rule[] = [
  inactive,
  rateLimitIneffective,
  secretExpiredActive,
  secretMissing,
  secretShared,
  urlMetadataAddress,
  urlNotHttps,
  retryHammering,
  disabled,
  unverified,
  retryAbsent,
  retryFew,
  retryLinear,
  retryLong,
  retryMany,
  retryShort,
  targetMissing,
  targetNotActive,
]
