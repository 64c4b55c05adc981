import type { RunRecord } from '../history/records.ts'
import { isOwnRule } from '../model/own-rules.ts'
import { isShellSafe } from '../report/text/shell-safe.ts'
import { firstStep } from './first-step.ts'
import type { Links } from './links.ts'
import type { Event } from './message.ts'

/** Adds what a reader needs next: what the rule finds, the first step of the fix, a command, and links. */
export function explainEvents(record: RunRecord, links: Links): (event: Event) => Event {
  const rules = new Map(record.rules.map((rule) => [rule.id, rule]))
  return (event) => {
    const { title = '', remediation = '' } = rules.get(event.rule ?? '') ?? {}
    const isOpen = event.type === 'violation.opened' || event.type === 'violation.reopened'
    const isInReport = isOpen || event.type === 'violation.resolved'
    return {
      ...event,
      ...given('title', title),
      ...(isOpen ? given('remediation', firstStep(remediation)) : {}),
      ...(isOpen ? given('command', commandFor(event)) : {}),
      ...(event.resolution === 'removed' ? {} : given('ui_url', links.resource(event))),
      ...(isInReport ? given('report_url', links.violation(record.number, event.fingerprint ?? '')) : {}),
    }
  }
}

function given(member: string, text: string | undefined): Partial<Event> {
  return text === undefined || text === '' ? {} : { [member]: text }
}

/** The page of a rule of hookdrift itself, or else the history of the resource. */
function commandFor({ rule = '', uid = '', kind }: Event): string | undefined {
  if (isShellSafe(rule) && isOwnRule(rule)) return `hookdrift rules ${rule}`
  return kind !== 'policy' && isShellSafe(uid) ? `hookdrift timeline ${uid}` : undefined
}
