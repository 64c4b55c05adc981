import { z } from 'zod'
import { pointerStep } from '../../model/json.ts'
import { count, countEach } from '../../model/text/count.ts'
import { dayMs, formatExpiry } from '../../model/time.ts'
import { severities, totalOf } from '../../model/violation.ts'
import { resourceRule, violationsRule } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'

/** Rules about the policy: what is overdue by it, and its waivers. */
export const policyRules: readonly Rule[] = [
  violationsRule({
    id: 'violation/overdue',
    title: 'Violations are overdue',
    severity: 'medium',
    packs: ['hygiene'],
    acceptedWith: 'nothing',
    *check({ rule, counts, firstDue }) {
      const number = totalOf(counts)
      const [is, first] = number === 1 ? ['is', 'it'] : ['are', 'the first']
      yield {
        path: `/${pointerStep(rule)}`,
        message: `${count(number, 'violation')} of ${rule} ${is} overdue (${countEach(severities, counts)}); ${first} was due on ${firstDue.slice(0, 10)}`,
      }
    },
  }),
  resourceRule('policy', {
    id: 'waiver/expired',
    title: 'Waiver has expired: its violations are open again',
    severity: 'medium',
    packs: ['hygiene'],
    acceptedWith: 'nothing',
    *check({ attributes: { expires, owner } }, { now }) {
      if (expires !== undefined && now >= Date.parse(expires)) {
        yield { path: '/expires', message: `was valid until ${formatExpiry(expires)}; owner ${owner}` }
      }
    },
  }),
  resourceRule('policy', {
    id: 'waiver/expiring',
    title: 'Waiver expires soon: its violations will be open again',
    severity: 'low',
    packs: ['hygiene', 'recommended'],
    acceptedWith: 'nothing',
    options: z.strictObject({
      days: z.number().positive().default(14).describe('Days before its end at which it is first reported'),
    }),
    *check({ attributes: { expires, owner } }, { options, now }) {
      if (expires === undefined) return
      const end = Date.parse(expires)
      if (now >= end - options.days * dayMs && now < end) {
        yield { path: '/expires', message: `valid until ${formatExpiry(expires)}; owner ${owner}` }
      }
    },
  }),
  resourceRule('policy', {
    id: 'waiver/unused',
    title: 'Waiver is unused: no violation matches it',
    severity: 'low',
    packs: ['hygiene', 'recommended'],
    acceptedWith: 'nothing',
    *check({ attributes: { used, expires, rule, owner } }, { now }) {
      // One that has expired is to be removed or renewed anyway: `waiver/expired` says so.
      if (used !== false || expires === undefined || now >= Date.parse(expires)) return
      yield { path: '/used', message: `no resource that it matches violates ${rule}; owner ${owner}` }
    },
  }),
]
