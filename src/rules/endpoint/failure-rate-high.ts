import { z } from 'zod'
import { resourceRule } from '../engine/define-rule.ts'

const severePercent = 50

export const failureRateHigh = resourceRule('endpoint', {
  id: 'endpoint/failure-rate-high',
  title: 'Delivery failure rate is high',
  severity: 'medium',
  highest: 'high',
  packs: ['delivery'],
  acceptedWith: 'nothing',
  unrecorded: ['failure_rate', 'cb_state'],
  options: z.strictObject({
    max_percent: z.number().min(0).max(100).default(20).describe('Percentage of deliveries that may fail'),
  }),
  check({ volatile: { failure_rate: rate, cb_state: breaker } }, { options }) {
    const percent = typeof rate === 'number' ? rate : 0
    const isOver = percent > options.max_percent
    if (!isOver && breaker !== 'open') return
    const isSevere = isOver && percent > severePercent
    // The rate moves from run to run: the message says which line it crossed.
    const line = isSevere ? Math.max(severePercent, options.max_percent) : options.max_percent
    const facts = [
      ...(isOver ? [`more than ${line} % of deliveries fail (policy: at most ${options.max_percent} %)`] : []),
      ...(breaker === 'open' ? ['the circuit breaker is open'] : []),
    ]
    return { path: '', message: facts.join('; '), severity: isSevere ? 'high' : 'medium' }
  },
})
