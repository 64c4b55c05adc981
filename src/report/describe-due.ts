import { showOpenTime } from '../model/time.ts'
import { isOverdue } from '../model/violation.ts'

/** `due in 3 d`, or `OVERDUE by 9 d`; empty without a due date. `at`: ISO 8601 in UTC. */
export function describeDue(violation: { readonly due_at: string | null }, at: string): string {
  if (violation.due_at === null) return ''
  const remainingMs = Date.parse(violation.due_at) - Date.parse(at)
  return isOverdue(violation, Date.parse(at))
    ? `OVERDUE by ${showOpenTime(-remainingMs)}`
    : `due in ${showOpenTime(remainingMs)}`
}
