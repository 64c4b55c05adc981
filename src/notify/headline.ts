import { isProjectListName } from '../model/resource.ts'
import { count, countEach } from '../model/text/count.ts'
import { cut, quote } from '../model/text/neutralise.ts'
import { countSeverities, severities } from '../model/violation.ts'
import { nameEnding } from '../report/describe-ending.ts'
import { showTime } from '../report/text/show-time.ts'
import { listed } from '../rules/shared/listed.ts'
import { byImportance, endingOf } from './find-events.ts'
import { type Event, type EventType, eventTypes, type Message } from './message.ts'

/** What is over, or was decided by a person. */
const overTypes: ReadonlySet<EventType> = new Set([
  'worker.recovered',
  'coverage.regained',
  'violation.resolved',
  'violation.closed',
  'violation.waived',
])

/** How bad some events are, and where. */
export function weigh(events: readonly Event[]): Pick<Message, 'severity' | 'project'> {
  const [worst] = events.filter(({ type }) => !overTypes.has(type)).sort(byImportance)
  const projects = projectsOf(events)
  return { severity: worst?.severity ?? null, project: projects.length === 1 ? (projects[0] ?? null) : null }
}

/** The list of the projects of a service is not a project next to others. */
function projectsOf(events: readonly Event[]): readonly string[] {
  const named = [...new Set(events.flatMap(({ project }) => project ?? []))]
  return named.length === 1 ? named : named.filter((project) => !isProjectListName(project))
}

const longestOnly = 200

/**
 * How bad, where, what, and between which times: `HIGH acme/payments: 4 high and 4 medium opened, changed 23:37–23:38 UTC
 * (run 9)`. What is behind all of it is said in place of a number.
 */
export function headlineOf(
  events: readonly Event[],
  { causes = [], failures = [], events: named, more, severity, run }: Omit<Message, 'title'>,
  changed: readonly { readonly between: { readonly after: string | null; readonly before: string } }[],
): string {
  const [event] = named
  const only = [...failures.map(({ text }) => `Incomplete: ${text}`), ...causes.map(({ text }) => text)]
  const what =
    only.length + named.length + more > 1 || (event === undefined && only.length === 0)
      ? describeCounts(events)
      : (only[0] ?? (event === undefined ? '' : markOf(event) + sayEvent(event, '')))
  const projects = projectsOf(events)
  const gateways = [...new Set(projects.map((project) => project.slice(0, project.indexOf('/'))))]
  const where = projects.length > 1 ? [`${listed(gateways)} (${projects.length} projects)`] : projects
  const about = [...(severity === null ? [] : [severity.toUpperCase()]), ...where].join(' ')
  const found = run === null ? '' : ` (run ${run.number})`
  return `${about === '' ? 'hookdrift' : about}: ${what}${describeTimes(changed)}${found}`
}

/** What happened to which resource: `Endpoint host changed, endpoint "stock-005" in acme/live, owner "tenant-23"`. */
export function sayEvent({ rule, title = rule, text, kind, owner, ...event }: Event, where: string): string {
  if (title === undefined) return text
  const name = resourceName({ ...event, kind })
  const named = kind === undefined || name === '' ? '' : `, ${kind} ${quoteName(name)}`
  return `${cut(title, longestOnly)}${named}${where}${ofOwner(owner)}`
}

export function ofOwner(owner: string | undefined): string {
  return owner === undefined ? '' : `, owner ${quoteName(owner)}`
}

/** A name within a sentence, in which backticks enclose code. */
export function quoteName(name: string): string {
  return quote(cut(name, longestOnly)).replaceAll('`', "'")
}

/** The name of the resource, or its uid; nothing where the event is about all of its project, as what is overdue. */
export function resourceName({ kind, name = '', uid = '' }: Pick<Event, 'kind' | 'name' | 'uid'>): string {
  if (name !== '') return name
  return kind === 'policy' ? '' : uid
}

/** From the last scan before the first of some changes to the scan that found the last; the day where it is another one. */
function describeTimes(changed: Parameters<typeof headlineOf>[2]): string {
  const [last] = changed.map(({ between }) => between.before).sort((a, b) => (a < b ? 1 : -1))
  if (last === undefined) return ''
  const [first] = changed.map(({ between }) => between.after ?? '').sort()
  const [to, from] = [showTime(last), showTime(first ?? '')].map((time) => time.replace(' UTC', ''))
  if (!first) return `, changed before ${to?.slice(11)} UTC`
  if (to === from) return `, changed at ${to?.slice(11)} UTC`
  return first.slice(0, 10) === last.slice(0, 10)
    ? `, changed ${from?.slice(11)}–${to?.slice(11)} UTC`
    : `, changed ${from}–${to} UTC`
}

const counted: Readonly<Partial<Record<EventType, string>>> = {
  'coverage.lost': 'listing',
  'coverage.regained': 'listing',
  'rule.unknown': 'rule',
}

function markOf(event: Event): string {
  return event.type === 'violation.opened' ? '' : `${wordFor(event)}: `
}

const several = new Intl.ListFormat('en-GB')

/** `4 high and 4 medium opened, 1 high fixed` */
function describeCounts(events: readonly Event[]): string {
  const inOrder = events.toSorted((a, b) => eventTypes.indexOf(a.type) - eventTypes.indexOf(b.type))
  const parts = [...Map.groupBy(inOrder, wordFor)].map(([word, group]) => {
    const noun = counted[group[0]?.type ?? 'violation.opened']
    const rated = () => several.format(countEach(severities, countSeverities(group)).split(', '))
    return `${noun === undefined ? rated() : count(group.length, noun)} ${word.toLowerCase()}`
  })
  return parts.length === 0 ? 'no longer open' : parts.join(', ')
}

const marks: Readonly<Record<EventType, string>> = {
  'worker.failed': 'Failed',
  'worker.recovered': 'Recovered',
  'coverage.lost': 'Incomplete',
  'coverage.regained': 'Complete again',
  'violation.reopened': 'Reopened',
  'violation.opened': 'Opened',
  'violation.raised': 'Raised',
  'violation.resolved': 'Resolved',
  'violation.closed': 'Closed',
  'violation.changed': 'Changed',
  'violation.waived': 'Waived',
  'rule.unknown': 'Unknown',
}

/** What a person or the policy ended is not resolved: it is not mended. */
export function wordFor(event: Event): string {
  if (event.resolution === undefined) return marks[event.type]
  const name = nameEnding(endingOf(event))
  return name === 'removed' ? 'Resource removed' : capitalised(name)
}

export function capitalised(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}
