import { neutralise } from '../text/neutralise.ts'
import type { Event, EventType, Message, Storm } from './message.ts'

/** One line for people: our words, then foreign ones, which each channel shows as inert text. */
export interface Line {
  readonly level: 'title' | 'text' | 'event'
  readonly own: string
  readonly foreign?: string
}

export function showMessage(message: Message): readonly Line[] {
  const { title, verdict, storm, rules, events, more, command, run } = message
  const text = (own: string): Line => ({ level: 'text', own })
  return [
    { level: 'title', own: title },
    ...(verdict === null ? [] : [text(`${verdict.text} Exit code ${verdict.exit_code}.`)]),
    ...(storm === null ? [] : [text(storms[storm])]),
    ...rules.map(({ rule, severity, events: count }) => text(`${count} × ${rule} (${severity})`)),
    ...events.flatMap(showEvent),
    ...(more > 0 ? [text(`and ${more} more: ${command}`)] : run === null ? [] : [text(`All of it: ${command}`)]),
  ]
}

const storms: Readonly<Record<Storm, string>> = {
  first_run: 'This is the first run: every open violation is new. The worst of them:',
  policy_changed: 'The policy or the version of hookdrift changed since the last run. The worst of it:',
  mass: 'Much changed at once. The worst of it:',
}

const marks: Readonly<Record<EventType, string>> = {
  'worker.failed': 'FAILED',
  'worker.recovered': 'recovered',
  'coverage.lost': 'INCOMPLETE',
  'coverage.regained': 'complete again',
  'violation.reopened': 'reopened',
  'violation.opened': 'opened',
  'violation.resolved': 'resolved',
  'violation.closed': 'closed',
  'rule.unknown': 'unknown',
}

function showEvent({ type, severity, project, rule, kind, name, uid, text, resolution }: Event): Line[] {
  const isOfViolation = type.startsWith('violation.')
  const own = [
    // What was fixed, removed, accepted or expired says so.
    `• ${resolution === undefined || resolution === 'policy' ? marks[type] : resolution}`,
    ...(isOfViolation || rule !== undefined ? [severity] : []),
    ...(rule === undefined ? [] : [rule]),
    ...(project === null ? [] : [`in ${project}`]),
  ].join(' ')
  const what = kind === undefined ? '' : `${kind} ${name === '' || name === undefined ? '' : `"${name}" `}${uid}: `
  return [{ level: 'event', own: neutralise(own), foreign: what + text }]
}
