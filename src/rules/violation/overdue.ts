import { pointerStep } from '../../model/json.ts'
import { overdueRule, severities, totalOf } from '../../model/violation.ts'
import { count, countEach } from '../../text/count.ts'
import { violationsRule } from '../engine/define-rule.ts'

export const overdue = violationsRule({
  id: overdueRule,
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
})
