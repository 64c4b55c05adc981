import { z } from 'zod'
import { dayMs } from '../../model/clock.ts'
import { formatExpiry } from '../../model/format-expiry.ts'
import { resourceRule } from '../engine/define-rule.ts'

export const expiring = resourceRule('policy', {
  id: 'waiver/expiring',
  title: 'Waiver expires soon: what it accepts will count again',
  severity: 'low',
  packs: ['hygiene', 'recommended'],
  options: z.strictObject({
    days: z.number().positive().default(14).describe('Days before its end from which it is reported'),
  }),
  *check({ attributes: { expires, owner } }, { options, now }) {
    if (expires === undefined) return
    const leftMs = Date.parse(expires) - now
    if (leftMs > 0 && leftMs <= options.days * dayMs) {
      yield { path: '/expires', message: `holds until ${formatExpiry(expires)}; owner ${owner}` }
    }
  },
})
