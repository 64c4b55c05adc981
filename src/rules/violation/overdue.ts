import { pointerStep } from '../../model/json.ts'
import { overdueRule, severities, totalOf } from '../../model/violation.ts'
import { count, countEach } from '../../text/count.ts'
import { violationsRule } from '../engine/define-rule.ts'

export const overdue = violationsRule({
  id: overdueRule,
  title: 'Violations of a rule are past their due date',
  severity: 'medium',
  packs: ['hygiene'],
  acceptedWith: 'nothing',
  *check({ rule, counts, firstDue }) {
    const number = totalOf(counts)
    const since = number === 1 ? `was due ${firstDue.slice(0, 10)}` : `the first was due ${firstDue.slice(0, 10)}`
    yield {
      path: `/${pointerStep(rule)}`,
      message: `${count(number, 'violation')} of ${rule} past the due date (${countEach(severities, counts)}); ${since}`,
    }
  },
})
