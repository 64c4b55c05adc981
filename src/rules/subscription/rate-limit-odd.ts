import { projectRule } from '../engine/define-rule.ts'

interface Rate {
  readonly count: number
  readonly seconds: number
}

export const rateLimitOdd = projectRule({
  id: 'subscription/rate-limit-odd',
  title: 'Declared rate limit has no effect',
  severity: 'low',
  packs: ['delivery', 'hygiene'],
  kind: 'subscription',
  reads: ['endpoint', 'subscription'],
  *check({ all }) {
    const endpoints = new Map(all('endpoint').map((endpoint) => [endpoint.uid, endpoint]))
    for (const at of all('subscription')) {
      const { rate_limit_config: config, endpoint_uid: target } = at.attributes
      const declared = rateOf(config?.count, config?.duration)
      if (declared === undefined) continue
      const { rate_limit: most, rate_limit_duration: seconds } = endpoints.get(target ?? '')?.attributes ?? {}
      const limit = rateOf(most, seconds)
      // A limit with a zero in it limits nothing.
      const message = messageFor(
        declared,
        limit !== undefined && limit.count > 0 && limit.seconds > 0 ? limit : undefined,
      )
      if (message !== undefined) yield { at, path: '/rate_limit_config', message }
    }
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
