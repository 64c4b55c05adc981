import { aggregateRule } from '../engine/define-rule.ts'
import type { FindingSubject } from '../engine/rule.ts'

interface Rate {
  readonly count: number
  readonly seconds: number
}

export const rateLimitOdd = aggregateRule({
  id: 'subscription/rate-limit-odd',
  title: 'Declared rate limit has no effect',
  severity: 'low',
  packs: ['delivery', 'hygiene'],
  kind: 'subscription',
  visits: ['endpoint', 'subscription'],
  start: () => ({ limits: new Map<string, Rate>(), odd: [] as { at: FindingSubject; message: string }[] }),
  visit({ limits, odd }, { kind, uid, attributes }, at) {
    if (kind === 'endpoint' && 'rate_limit' in attributes) {
      const limit = rateOf(attributes.rate_limit, attributes.rate_limit_duration)
      // A limit with a zero in it limits nothing.
      if (limit !== undefined && limit.count > 0 && limit.seconds > 0) limits.set(uid, limit)
    } else if ('rate_limit_config' in attributes) {
      const declared = rateOf(attributes.rate_limit_config?.count, attributes.rate_limit_config?.duration)
      if (declared === undefined) return
      const message = messageFor(declared, limits.get(attributes.endpoint_uid ?? ''))
      if (message !== undefined) odd.push({ at, message })
    }
  },
  *conclude({ odd }) {
    for (const { at, message } of odd) yield { at, path: '/rate_limit_config', message }
  },
})

function messageFor(declared: Rate, limit: Rate | undefined): string | undefined {
  const what = `declared rate limit of ${formatted(declared)}`
  if (declared.count === 0 || declared.seconds === 0) return `${what} limits nothing`
  if (limit === undefined || declared.count * limit.seconds <= limit.count * declared.seconds) return undefined
  return `${what} exceeds the endpoint's own limit of ${formatted(limit)}`
}

function rateOf(count: number | null | undefined, seconds: number | null | undefined): Rate | undefined {
  return typeof count === 'number' && typeof seconds === 'number' ? { count, seconds } : undefined
}

function formatted({ count, seconds }: Rate): string {
  return `${count} per ${seconds} s`
}
