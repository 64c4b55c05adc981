import { z } from 'zod'
import { dayMs, formatExpiry } from '../../model/time.ts'
import { resourceRule } from '../engine/define-rule.ts'

export const expiring = resourceRule('policy', {
  id: 'waiver/expiring',
  title: 'Waiver expires soon: its violations will be open again',
  severity: 'low',
  packs: ['hygiene', 'recommended'],
  acceptedWith: 'nothing',
  options: z.strictObject({
    days: z.number().positive().default(14).describe('Days before its end at which it is first reported'),
  }),
  *check({ attributes: { expires, owner } }, { options, time }) {
    if (expires === undefined) return
    const end = Date.parse(expires)
    if (time.reached(end - options.days * dayMs) && !time.reached(end)) {
      yield { path: '/expires', message: `valid until ${formatExpiry(expires)}; owner ${owner}` }
    }
  },
})
