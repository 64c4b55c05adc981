import { formatExpiry } from '../../model/time.ts'
import { resourceRule } from '../engine/define-rule.ts'

export const expired = resourceRule('policy', {
  id: 'waiver/expired',
  title: 'Waiver has expired: its violations are open again',
  severity: 'medium',
  packs: ['hygiene'],
  acceptedWith: 'nothing',
  *check({ attributes: { expires, owner } }, { time }) {
    if (expires !== undefined && time.reached(Date.parse(expires))) {
      yield { path: '/expires', message: `was valid until ${formatExpiry(expires)}; owner ${owner}` }
    }
  },
})
