import type { RunRecord } from '../history/records.ts'
import { isBuiltInRule } from '../model/built-in-rules.ts'
import { remediationFor } from '../report/remediation-for.ts'
import { isShellSafe } from '../report/text/commands.ts'
import type { Links } from './links.ts'
import { type Event, openTypes } from './message.ts'

/** Adds what a reader needs next: what the rule finds, the first step of the fix, a command, and links. */
export function explainEvents(record: RunRecord, links: Links): (event: Event) => Event {
  const rules = new Map(record.rules.map((rule) => [rule.id, rule]))
  return (event) => {
    const { title = '', remediation = '' } = rules.get(event.rule ?? '') ?? {}
    const steps = filledFor(event, remediation)
    const isOpen = openTypes.has(event.type)
    const isInReport = isOpen || event.type === 'violation.resolved'
    return {
      ...event,
      title: title || undefined,
      remediation: (isOpen && firstStep(steps)) || undefined,
      command: isOpen ? commandFor(event, steps) : undefined,
      ui_url: event.resolution === 'removed' ? undefined : links.resource(event) || undefined,
      report_url: (isInReport && links.violation(record.number, event.fingerprint ?? '')) || undefined,
    }
  }
}

function filledFor({ kind, uid, fingerprint }: Event, remediation: string): string {
  if (kind === undefined || uid === undefined || fingerprint === undefined) return remediation
  return remediationFor(remediation, [{ kind, uid, fingerprint }])
}

/** What puts a change back; else the page of a rule of hookdrift itself, or the history of the resource. */
function commandFor({ rule = '', uid = '', kind }: Event, steps: string): string | undefined {
  const back = rule.startsWith('drift/') ? commandAbout(uid, steps, 'restore') : undefined
  if (back !== undefined) return back
  if (isShellSafe(rule) && isBuiltInRule(rule)) return `hookdrift rules ${rule}`
  return kind !== 'policy' && isShellSafe(uid) ? `hookdrift timeline ${uid}` : undefined
}

/** The first command in backticks that names a resource. `name`: of a command; default: any. */
export function commandAbout(uid: string, text: string, name = ''): string | undefined {
  const commands = text.split('`').filter((part, at) => at % 2 === 1 && part.startsWith(`hookdrift ${name}`))
  return commands.find((command) => command.split(' ').includes(uid))
}

const longestStep = 200

/** The first step, choice or sentence of a remediation on one line: what a chat has room for. Empty for none. */
export function firstStep(remediation: string): string {
  const text = remediation
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\[([^\]]{1,200})\]\([^)]{1,300}\)/g, '$1')
  const [step = ''] = text.startsWith('1. ') ? text.slice(3).split(' 2. ') : text.replace(/^- /, '').split(' - ')
  const end = sentenceEnd(step)
  const sentence = end === undefined ? step : step.slice(0, end)
  return sentence.length <= longestStep
    ? sentence
    : closed(`${sentence.slice(0, longestStep - 1).replace(/ [^ ]{0,199}$/, '')}…`)
}

/** Behind the first full stop that a blank follows, outside of code. */
function sentenceEnd(text: string): number | undefined {
  let isCode = false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '`') isCode = !isCode
    if (!isCode && /^[.!?] [A-Z]/.test(text.slice(at, at + 3))) return at + 1
  }
  return undefined
}

/** A cut may have left code open. */
function closed(text: string): string {
  return text.split('`').length % 2 === 1 ? text : `${text.slice(0, -1)}\`…`
}
