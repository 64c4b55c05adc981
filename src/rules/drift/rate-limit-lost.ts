import type { Endpoint } from '../engine/attributes.ts'
import { driftRule } from '../engine/define-rule.ts'

/** A limit is a number and a time. */
const fields = ['/rate_limit', '/rate_limit_duration']

export const rateLimitLost = driftRule({
  id: 'drift/rate-limit-lost',
  title: 'Rate limit was removed',
  severity: 'medium',
  packs: ['delivery'],
  acceptedWith: fields,
  reportsWith: fields,
  kinds: ['endpoint'],
  *check({ before, after }) {
    const [old, now] = [limitOf(before), limitOf(after)]
    if (old === undefined || now === undefined || !isLimited(old) || isLimited(now)) return
    yield {
      path: now.count > 0 ? '/rate_limit_duration' : '/rate_limit',
      message: `rate limit removed (was ${old.count} per ${old.seconds} s)`,
    }
  },
})

/** undefined where it is not shown in full. */
function limitOf({ rate_limit: count, rate_limit_duration: seconds }: Endpoint = {}) {
  return count === undefined || seconds === undefined ? undefined : { count: count ?? 0, seconds: seconds ?? 0 }
}

/** If either is 0, nothing is limited. */
function isLimited({ count, seconds }: { readonly count: number; readonly seconds: number }): boolean {
  return count > 0 && seconds > 0
}
