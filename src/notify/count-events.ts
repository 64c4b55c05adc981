import { count } from '../text/count.ts'
import { byImportance } from './find-events.ts'
import { type Event, type EventType, eventTypes, type Message } from './message.ts'

const rulesInDigest = 10

export function countTypes(events: readonly Event[]): Message['counts'] {
  const groups = Map.groupBy(events, ({ type }) => type)
  return Object.fromEntries(
    eventTypes.flatMap((type) => {
      const group = groups.get(type)
      return group === undefined ? [] : [[type, group.length]]
    }),
  )
}

const words: Readonly<Record<EventType, (n: number) => string>> = {
  'worker.failed': () => 'a run failed',
  'worker.recovered': () => 'runs succeed again',
  'coverage.lost': (n) => `${count(n, 'listing')} incomplete`,
  'coverage.regained': (n) => `${count(n, 'listing')} complete again`,
  'violation.reopened': () => 'reopened',
  'violation.opened': () => 'opened',
  'violation.resolved': () => 'fixed or removed',
  'violation.closed': () => 'ended otherwise',
  'rule.unknown': (n) => `${count(n, 'rule')} unknown`,
}

/** `2 violations opened, 1 resolved in acme/payments` */
export function describeCounts(events: readonly Event[]): string {
  const counts = countTypes(events)
  let isNamed = false
  const parts = eventTypes.flatMap((type) => {
    const number = counts[type]
    if (number === undefined) return []
    if (!type.startsWith('violation.')) return [words[type](number)]
    const noun = isNamed ? `${number}` : count(number, 'violation')
    isNamed = true
    return [`${noun} ${words[type](number)}`]
  })
  const projects = [...new Set(events.flatMap(({ project }) => project ?? []))]
  const where =
    projects.length > 1 ? ` in ${projects.length} projects` : projects.map((project) => ` in ${project}`).join('')
  return parts.length === 0 ? 'nothing new' : `${parts.join(', ')}${where}`
}

/** Each rule with its worst severity, those with the most events first. */
export function countRules(events: readonly Event[]): Message['rules'] {
  const ofRules = events
    .toSorted(byImportance)
    .flatMap(({ rule, severity }) => (rule === undefined ? [] : [{ rule, severity }]))
  return [...Map.groupBy(ofRules, ({ rule }) => rule)]
    .map(([rule, group]) => ({ rule, severity: group[0]?.severity ?? 'info', events: group.length }))
    .toSorted((a, b) => b.events - a.events)
    .slice(0, rulesInDigest)
}
