import type { Endpoint, Project } from '../engine/attributes.ts'
import { driftRule } from '../engine/define-rule.ts'

/** A limit is a number and a time. */
const fields = ['/rate_limit', '/rate_limit_duration', '/config/ratelimit']

export const rateLimitLost = driftRule({
  id: 'drift/rate-limit-lost',
  title: 'Rate limit was removed',
  severity: 'medium',
  packs: ['delivery'],
  acceptedWith: fields,
  reportsWith: fields,
  kinds: ['endpoint', 'project'],
  *check({ before, after }) {
    const [old, now] = [limitOf(before), limitOf(after)]
    if (old === undefined || now === undefined || !isLimited(old) || isLimited(now)) return
    yield {
      path: now.count > 0 ? now.secondsPath : now.countPath,
      message: `rate limit removed (was ${old.count} per ${old.seconds} s)`,
    }
  },
})

interface Limit {
  readonly count: number
  readonly seconds: number
  readonly countPath: string
  readonly secondsPath: string
}

/** undefined where it is not shown in full. */
function limitOf(attributes: (Endpoint & Project) | undefined): Limit | undefined {
  if (attributes === undefined) return undefined
  const { rate_limit: limit, rate_limit_duration: duration, config } = attributes
  if (limit !== undefined && duration !== undefined) {
    const paths = { countPath: '/rate_limit', secondsPath: '/rate_limit_duration' }
    return { count: limit ?? 0, seconds: duration ?? 0, ...paths }
  }
  // The service takes null for no limit.
  const { count, duration: seconds } =
    config?.ratelimit === null ? { count: 0, duration: 0 } : (config?.ratelimit ?? {})
  if (count === undefined || seconds === undefined) return undefined
  const paths = { countPath: '/config/ratelimit/count', secondsPath: '/config/ratelimit/duration' }
  return { count: count ?? 0, seconds: seconds ?? 0, ...paths }
}

/** If either is 0, nothing is limited. */
function isLimited({ count, seconds }: Limit): boolean {
  return count > 0 && seconds > 0
}
